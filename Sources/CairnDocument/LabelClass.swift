/// A class that labels name by its key; what people see is its name.
public struct LabelClass: RegisterDocument {
  public static let kind = DocumentKind.class

  public private(set) var members: JSONObject
  public let key: ClassKey
  public var name: Register<String> { didSet { members.set("name", name) } }
  public var parent: Register<ClassKey?> { didSet { members.set("parent", parent) } }
  public var removed: Register<Bool> { didSet { members.set("removed", removed) } }

  // Absent until they are first edited: a device that coins the key meanwhile, and knows nothing of
  // the edit, must not undo it with a stamp of its own.

  /// The class that this key is another name for; null when it is a class of its own again.
  public var aliasOf: Register<ClassKey?>? { didSet { members.set("aliasOf", aliasOf) } }
  /// The slug of the exclusive set that it belongs to, of which only one class can stand on a photo;
  /// null when it is a free tag again.
  public var set: Register<ClassKey?>? { didSet { members.set("set", set) } }

  public init(key: ClassKey, name: String, stamp: Stamp) {
    self.key = key
    self.name = Register(name, stamp)
    parent = Register(nil, stamp)
    removed = Register(false, stamp)
    members = ["key": .string(key.text), "kind": .string(LabelClass.kind.rawValue)]
    members.set("name", self.name)
    members.set("parent", parent)
    members.set("removed", removed)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    key = try members.id("key") { ClassKey($0) }
    name = try members.register("name")
    parent = try members.register("parent")
    removed = try members.register("removed")
    aliasOf = try members.optionalRegister("aliasOf")
    set = try members.optionalRegister("set")
    self.members = members
  }
}
