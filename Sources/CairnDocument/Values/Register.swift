/// A value with the stamp of its last edit: of two registers, the later one wins.
public struct Register<Value> {
  /// The value.
  public let value: Value
  /// The time and the replica of the last edit.
  public let stamp: Stamp

  /// Creates a value that was edited at `stamp`.
  public init(_ value: Value, _ stamp: Stamp) { (self.value, self.stamp) = (value, stamp) }
}

extension Register: Equatable where Value: Equatable {}
extension Register: Sendable where Value: Sendable {}

/// A value that a register can have.
package protocol RegisterValue {
  /// The expected value, for error messages: “text of at most 16384 bytes”.
  static var expectation: String { get }
  init?(json: JSON)
  var json: JSON { get }
}

extension String: RegisterValue {
  package static var expectation: String { "text of at most \(DocumentLimit.textLength) bytes" }

  package init?(json: JSON) {
    guard let text = json.string, text.utf8.count <= DocumentLimit.textLength else { return nil }
    self = text
  }

  package var json: JSON { .string(self) }
}

extension Bool: RegisterValue {
  package static var expectation: String { "true or false" }

  package init?(json: JSON) {
    guard let value = json.bool else { return nil }
    self = value
  }

  package var json: JSON { .bool(self) }
}

extension Optional: RegisterValue where Wrapped: RegisterValue {
  package static var expectation: String { "\(Wrapped.expectation), or null" }

  package init?(json: JSON) {
    if json.isNull {
      self = .none
    } else if let value = Wrapped(json: json) {
      self = .some(value)
    } else {
      return nil
    }
  }

  package var json: JSON { map(\.json) ?? .null }
}

extension PinID: RegisterValue {
  package static var expectation: String { "the id of a pin" }
  package init?(json: JSON) {
    guard let id = json.string.flatMap({ PinID($0) }) else { return nil }
    self = id
  }
  package var json: JSON { .string(text) }
}

extension ClassKey: RegisterValue {
  package static var expectation: String { "the key of a class" }
  package init?(json: JSON) {
    guard let key = json.string.flatMap({ ClassKey($0) }) else { return nil }
    self = key
  }
  package var json: JSON { .string(text) }
}

extension JSONObject {
  /// Returns the register `key`, read as `Value`.
  func register<Value: RegisterValue>(
    _ key: String, of type: Value.Type = Value.self
  ) throws(DocumentError) -> Register<Value> {
    guard let member = self[key] else { throw .schema("“\(key)” is missing") }
    guard let stamp = member["stamp"]?.string.flatMap({ Stamp($0) }) else {
      throw .schema("“\(key)” has no valid “stamp”")
    }
    guard let json = member["value"] else { throw .schema("“\(key)” has no “value”") }
    guard let value = Value(json: json) else {
      throw .schema("the value of “\(key)” is not \(Value.expectation)")
    }
    return Register(value, stamp)
  }

  /// Returns the register `key`, read as `Value`; nil if it is missing.
  func optionalRegister<Value: RegisterValue>(
    _ key: String, of type: Value.Type = Value.self
  ) throws(DocumentError) -> Register<Value>? {
    self[key] == nil ? nil : try register(key)
  }

  /// Writes the register `key`; its unknown members are dropped with the old value.
  mutating func set(_ key: String, _ register: Register<some RegisterValue>?) {
    self[key] = register.map {
      ["stamp": .string($0.stamp.description), "value": $0.value.json]
    }
  }
}
