/// One execution of a model over some photos. Its facts are fixed when it starts; only `withdrawn`
/// can be edited.
public struct Run: RegisterDocument {
  public static let kind = DocumentKind.run

  public private(set) var members: JSONObject
  /// The id of the run.
  public let id: RunID
  /// The model, with its version.
  public let annotator: Annotator
  /// The person who ran it.
  public let by: Annotator
  /// The time at which the run started.
  public let started: Stamp
  /// Whether the labels of the run do not count.
  public var withdrawn: Register<Bool> { didSet { members.set("withdrawn", withdrawn) } }

  /// Creates a run.
  public init(
    id: RunID, annotator: Annotator, by: Annotator, parameters: JSONObject = [:], stamp: Stamp
  ) {
    self.id = id
    self.annotator = annotator
    self.by = by
    started = stamp
    withdrawn = Register(false, stamp)
    members = [
      "annotator": .string(annotator.description), "by": .string(by.description),
      "id": .string(id.text), "kind": .string(Run.kind.rawValue),
      "parameters": .object(parameters), "started": .string(stamp.description),
    ]
    members.set("withdrawn", withdrawn)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    id = try members.id("id") { RunID($0) }
    annotator = try members.id("annotator") { Annotator($0) }
    by = try members.id("by") { Annotator($0) }
    started = try members.id("started") { Stamp($0) }
    guard annotator.model != nil, by.isHuman else {
      throw .schema("“annotator” is not a model or “by” is not a person")
    }
    withdrawn = try members.register("withdrawn")
    self.members = members
  }
}
