/// A class that labels refer to by its key; people see its name.
public struct LabelClass: RegisterDocument {
  public static let kind = DocumentKind.class

  public private(set) var members: JSONObject
  /// The key, which never changes.
  public let key: ClassKey
  /// The display name.
  public var name: Register<String> { didSet { members.set("name", name) } }
  /// The more general class, such as the genus of a species; nil for none.
  public var parent: Register<ClassKey?> { didSet { members.set("parent", parent) } }
  /// Whether the class is hidden in lists. Its labels still count.
  public var removed: Register<Bool> { didSet { members.set("removed", removed) } }

  // Absent until they are first edited: a device that creates the same key meanwhile, without
  // knowing of the edit, must not undo it with its own stamp.

  /// The class that this key is an alias of; null if it is a separate class again.
  public var aliasOf: Register<ClassKey?>? { didSet { members.set("aliasOf", aliasOf) } }
  /// The slug of its exclusive set, of which only one class can be confirmed on a photo; null if it
  /// belongs to no set anymore.
  public var set: Register<ClassKey?>? { didSet { members.set("set", set) } }

  /// - Parameter stamp: Nil for the stamps that a class is created with, the same on every device.
  public init(key: ClassKey, name: String, stamp: Stamp? = nil) {
    self.key = key
    self.name = Register(name, stamp ?? .given)
    parent = Register(nil, stamp ?? .initial)
    removed = Register(false, stamp ?? .initial)
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
