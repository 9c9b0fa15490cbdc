/// A document that is a map of registers, one a field. The members are kept as they were read, so
/// that fields of later versions pass through untouched.
public protocol RegisterDocument: Equatable, Sendable {
  static var kind: DocumentKind { get }
  var members: JSONObject { get }

  /// Takes `members` after checking every field that this version knows.
  init(checking members: JSONObject) throws(DocumentError)
}

extension RegisterDocument {
  public init(json: JSON) throws(DocumentError) {
    guard let members = json.object else { throw .schema("not an object") }
    guard members["kind"] == .string(Self.kind.rawValue) else {
      throw .schema("“kind” is not “\(Self.kind.rawValue)”")
    }
    // It would make a single register of the whole document, and a join would lose fields.
    if members["stamp"] != nil { throw .schema("“stamp” cannot stand at the top") }
    try self.init(checking: members)
  }

  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    try self.init(json: try JSON(bytes: bytes))
  }

  public var json: JSON { .object(members) }
  public var canonicalBytes: [UInt8] { members.canonicalBytes }
}

extension JSONObject {
  /// Returns the id that stands under `key`.
  func id<ID>(_ key: String, _ make: (String) -> ID?) throws(DocumentError) -> ID {
    guard let id = self[key]?.string.flatMap(make) else {
      throw .schema("“\(key)” is missing or not an id")
    }
    return id
  }
}
