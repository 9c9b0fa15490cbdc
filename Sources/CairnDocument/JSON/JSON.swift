/// A JSON value whose equality is the equality of its canonical bytes.
///
/// Strings compare by their UTF-8 bytes, never by Unicode equivalence: two encodings of “é” are two
/// values, so that writing what was read gives the same bytes.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON: Equatable {
  public static func == (a: JSON, b: JSON) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameUTF8(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSON {
  /// The string; nil for other values.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The Boolean; nil for other values.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number as a double; nil for other values.
  public var double: Double? { if case .number(let value) = self { value.double } else { nil } }
  /// The number as an integer; nil for other values, fractions and numbers out of range.
  public var int: Int? { if case .number(let value) = self { value.int } else { nil } }
  /// The elements; nil for other values.
  public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  /// The object; nil for other values.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// Whether it is null.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// Returns the member `key` of an object, nil for any other value.
  public subscript(key: String) -> JSON? { object?[key] }
}

// No `nil` literal: where an optional JSON is meant, it would quietly become null.
extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }

  public init(_ value: String) { self = .string(value) }
  public init(_ value: String?) { self = value.map(JSON.string) ?? .null }
  public init(_ value: Int) { self = .number(JSONNumber(value)) }
  public init(_ value: Double) { self = .number(JSONNumber(value)) }
}
