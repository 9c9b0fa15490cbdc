/// One image: the facts read from its file, and what people wrote about it apart from labels.
public struct Photo: RegisterDocument {
  public static let kind = DocumentKind.photo

  public private(set) var members: JSONObject
  /// The id: the SHA-256 of the image's bytes.
  public let id: PhotoID
  /// The facts about the image that its file states.
  public let image: ImageFacts
  /// A description in one or more sentences.
  public var caption: Register<String> { didSet { members.set("caption", caption) } }
  /// The author and origin; nil until recorded.
  public var credit: Register<Credit?>? { didSet { members.set("credit", credit) } }
  /// The pin that the photo is assigned to; nil for none.
  public var pin: Register<PinID?> { didSet { members.set("pin", pin) } }
  /// Whether the photo is hidden.
  public var removed: Register<Bool> { didSet { members.set("removed", removed) } }
  /// The name of the file it was added from.
  public var source: Register<String> { didSet { members.set("source", source) } }
  /// A short name.
  public var title: Register<String> { didSet { members.set("title", title) } }

  /// - Parameter stamp: Nil for the stamps that a photo is created with, the same on every device.
  public init(
    id: PhotoID, image: ImageFacts, pin: PinID?, source: String, stamp: Stamp? = nil
  ) {
    let (initial, given) = (stamp ?? .initial, stamp ?? .given)
    self.id = id
    self.image = image
    caption = Register("", initial)
    self.pin = Register(pin, pin == nil ? initial : given)
    removed = Register(false, initial)
    self.source = Register(source, given)
    title = Register("", initial)
    members = [
      "id": .string(id.description), "kind": .string(Photo.kind.rawValue), "image": image.json,
    ]
    members.set("caption", caption)
    members.set("pin", self.pin)
    members.set("removed", removed)
    members.set("source", self.source)
    members.set("title", title)
  }

  /// When the photo was taken: according to its file or, if that does not say, the source that it was
  /// fetched from. Nil if neither knows the day.
  public var taken: CaptureTime? { image.taken ?? credit?.value?.taken?.captureTime }

  /// Where the photo was taken: according to its file or, if that does not say, the source that it
  /// was fetched from. Nil if neither knows; an obscured location is not where it was taken.
  public var location: Coordinate? {
    if let location = image.location { return location.coordinate }
    guard let reported = credit?.value?.location, !reported.isObscured else { return nil }
    return reported.coordinate
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    id = try members.id("id") { PhotoID($0) }
    image = try ImageFacts(json: members["image"])
    caption = try members.register("caption")
    credit = try members.optionalRegister("credit")
    pin = try members.register("pin")
    removed = try members.register("removed")
    source = try members.register("source")
    title = try members.register("title")
    self.members = members
  }
}
