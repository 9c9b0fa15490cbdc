/// The record that the image of a photo was erased: no copy keeps its bytes or takes them in again.
///
/// The photo's document and its labels stay. No merge removes an erasure.
public struct Erasure: RegisterDocument {
  public static let kind = DocumentKind.erasure

  /// Who erased an image, and why.
  public struct Record: Equatable, Sendable {
    /// The person who erased it.
    public let by: Annotator
    /// The reason that the person gave.
    public let reason: String
    /// Members that this version does not know.
    private var extra: JSONObject

    /// Creates a record.
    public init(by: Annotator, reason: String) {
      (self.by, self.reason, extra) = (by, reason, JSONObject())
    }
  }

  /// What an image store did with an erased image.
  public enum StoreState: String, Sendable {
    /// The store has no copy of the image any more.
    case erased
    /// The store has the image and offers no way to delete it; its administrator has to.
    case kept
  }

  public private(set) var members: JSONObject
  /// The photo, which is also the SHA-256 of the erased bytes.
  public let photo: PhotoID
  /// The size of the erased image in bytes.
  public let bytes: Int
  /// Who erased the image, when and why.
  public let erased: Register<Record>
  /// What each image store did, by its address without secrets, and when this was found out.
  public private(set) var stores: [String: Register<StoreState>]

  /// Creates an erasure.
  ///
  /// - Parameter bytes: The size of the image.
  public init(_ photo: PhotoID, bytes: Int, by: Annotator, reason: String, stamp: Stamp) {
    (self.photo, self.bytes, stores) = (photo, bytes, [:])
    erased = Register(Record(by: by, reason: reason), stamp)
    members = [
      "bytes": JSON(bytes), "kind": .string(Erasure.kind.rawValue),
      "photo": .string(photo.description), "stores": [:],
    ]
    members.set("erased", erased)
  }

  /// Records what an image store did.
  ///
  /// - Parameter address: The store's address without secrets.
  public mutating func record(_ state: StoreState, ofStore address: String, stamp: Stamp) {
    stores[address] = Register(state, stamp)
    var all = members["stores"]?.object ?? JSONObject()
    all.set(address, Register(state.rawValue, stamp))
    members["stores"] = .object(all)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    photo = try members.id("photo") { PhotoID($0) }
    guard let bytes = members["bytes"]?.int, bytes > 0 else {
      throw .schema("“bytes” is missing or not a positive integer")
    }
    self.bytes = bytes
    erased = try members.register("erased")
    guard let stores = members["stores"]?.object else {
      throw .schema("“stores” is missing or not an object")
    }
    self.stores = [:]
    for (address, _) in stores.members {
      let state: Register<String> = try stores.register(address)
      // Later versions may know other states.
      self.stores[address] = StoreState(rawValue: state.value).map { Register($0, state.stamp) }
    }
    self.members = members
  }
}

extension Erasure.Record: RegisterValue {
  package static var expectation: String {
    "an object with a person in “by” and text of at most \(DocumentLimit.textLength) bytes in “reason”"
  }

  package init?(json: JSON) {
    guard let object = json.object, let by = object["by"]?.string.flatMap({ Annotator($0) }),
      by.isHuman, let reason = object["reason"].flatMap({ String(json: $0) })
    else { return nil }
    (self.by, self.reason, extra) = (by, reason, object)
    (extra["by"], extra["reason"]) = (nil, nil)
  }

  package var json: JSON {
    var object = extra
    object["by"] = .string(by.description)
    object["reason"] = .string(reason)
    return .object(object)
  }
}
