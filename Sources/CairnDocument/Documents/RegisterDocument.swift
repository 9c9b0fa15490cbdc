/// A document that is a map of registers, one per field. Unknown members are kept as read, so that
/// fields of later versions pass through unchanged.
public protocol RegisterDocument: Equatable, Sendable {
  static var kind: DocumentKind { get }
  var members: JSONObject { get }

  /// Creates the document after checking every field that this version knows.
  init(checking members: JSONObject) throws(DocumentError)
}

extension RegisterDocument {
  public init(json: JSON) throws(DocumentError) {
    guard let members = json.object else { throw .schema("not an object") }
    guard members["kind"] == .string(Self.kind.rawValue) else {
      throw .schema("“kind” is not “\(Self.kind.rawValue)”")
    }
    // A stamp would make the whole document a single register, and a join would lose fields.
    if members["stamp"] != nil { throw .schema("“stamp” is not allowed at the top level") }
    try self.init(checking: members)
  }

  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    try self.init(json: try JSON(bytes: bytes))
  }

  public var json: JSON { .object(members) }
  public var canonicalBytes: [UInt8] { members.canonicalBytes }
}

extension JSONObject {
  /// Returns the id under `key`.
  func id<ID>(_ key: String, _ make: (String) -> ID?) throws(DocumentError) -> ID {
    guard let id = self[key]?.string.flatMap(make) else {
      throw .schema("“\(key)” is missing or not an id")
    }
    return id
  }
}
