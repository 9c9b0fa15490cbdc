internal import CairnBase

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
  ///
  /// - Parameter recordsSilent: Whether the run records the photos for which the model gives no
  ///   label; so far, there are none.
  public init(
    id: RunID, annotator: Annotator, by: Annotator, parameters: JSONObject = [:],
    recordsSilent: Bool = false, stamp: Stamp
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
    if recordsSilent { members["silent"] = [:] }
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
    for key in ["silent", "learned"] { try Run.checkPhotos(members[key], key) }
    self.members = members
  }
}

// MARK: Sets of photos

extension Run {
  /// The maximum number of photos that a run records; a model that is silent on more needs another
  /// run. They fill half of a document.
  package static let photoLimit = 65_536

  /// The photos for which the model gave no label; nil if the run does not record them.
  public var silent: PhotoPrefixSet? { photos("silent") }

  /// The photos that the model learned from, and near duplicates of them; nil if the run is no
  /// training, or does not record them.
  public var learned: PhotoPrefixSet? { photos("learned") }

  private func photos(_ key: String) -> PhotoPrefixSet? {
    guard let chunks = members[key]?.object else { return nil }
    var photos = PhotoPrefixSet()
    for (_, chunk) in chunks.members { _ = chunk.string.map { photos.add(text: $0) } }
    return photos
  }

  /// The lowest score of a label that the run kept; 0 if it is unknown.
  package var minimumScore: Double { members["parameters"]?["min"]?.double ?? 0 }

  /// Records photos about which the model was asked without giving a label.
  ///
  /// They become one member, named by its contents: the join of two versions has the photos of
  /// both, and earlier photos are not written again.
  package mutating func addSilent(_ photos: some Collection<PhotoID>) { add(photos, "silent") }

  /// Records photos that the model learned from, as silent ones.
  package mutating func addLearned(_ photos: some Collection<PhotoID>) { add(photos, "learned") }

  private mutating func add(_ photos: some Collection<PhotoID>, _ key: String) {
    if photos.isEmpty { return }
    var chunks = members[key]?.object ?? JSONObject()
    let text = PhotoPrefixSet.text(of: photos)
    chunks[hexHash(Array(text.utf8), digits: Run.chunkDigits)] = .string(text)
    members[key] = .object(chunks)
  }

  private static let chunkDigits = 16

  /// Checks what ``silent`` and ``learned`` read.
  private static func checkPhotos(_ json: JSON?, _ name: String) throws(DocumentError) {
    guard let json else { return }
    guard let chunks = json.object else { throw .schema("“\(name)” is not an object") }
    for (key, chunk) in chunks.members {
      var photos = PhotoPrefixSet()
      guard key.utf8.count == chunkDigits, Hex.bytes(key.utf8) != nil else {
        throw .schema("a member of “\(name)” is not named by its hash")
      }
      guard let text = chunk.string, !text.isEmpty, photos.add(text: text) else {
        throw .schema("a member of “\(name)” is not a list of photos in Base64")
      }
    }
  }
}
