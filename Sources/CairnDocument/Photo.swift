/// What the bytes of an image say of it.
public struct ImageFacts: Equatable, Sendable {
  public var format: ImageFormat
  /// In pixels, as stored: before the orientation that metadata may ask for.
  public var width: Int
  public var height: Int
  /// The size of the file.
  public var bytes: Int

  public init(format: ImageFormat, width: Int, height: Int, bytes: Int) {
    (self.format, self.width, self.height, self.bytes) = (format, width, height, bytes)
  }
}

/// The image formats that a dataset holds.
public enum ImageFormat: String, Sendable, CaseIterable {
  case jpeg, png, webp

  /// The extension of its files, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  public init?(fileExtension: String) {
    guard let format = ImageFormat.allCases.first(where: { $0.fileExtension == fileExtension })
    else { return nil }
    self = format
  }
}

/// One image: what its bytes say, and what people wrote about it apart from labels.
public struct Photo: RegisterDocument {
  public static let kind = DocumentKind.photo

  public private(set) var members: JSONObject
  public let id: PhotoID
  public let image: ImageFacts
  public var caption: Register<String> { didSet { members.set("caption", caption) } }
  public var pin: Register<PinID?> { didSet { members.set("pin", pin) } }
  public var removed: Register<Bool> { didSet { members.set("removed", removed) } }
  /// The name of the file it was added from.
  public var source: Register<String> { didSet { members.set("source", source) } }
  public var title: Register<String> { didSet { members.set("title", title) } }

  public init(id: PhotoID, image: ImageFacts, pin: PinID?, source: String, stamp: Stamp) {
    self.id = id
    self.image = image
    caption = Register("", stamp)
    self.pin = Register(pin, stamp)
    removed = Register(false, stamp)
    self.source = Register(source, stamp)
    title = Register("", stamp)
    members = [
      "id": .string(id.description), "kind": .string(Photo.kind.rawValue), "image": image.json,
    ]
    members.set("caption", caption)
    members.set("pin", self.pin)
    members.set("removed", removed)
    members.set("source", self.source)
    members.set("title", title)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    id = try members.id("id") { PhotoID($0) }
    image = try ImageFacts(json: members["image"])
    caption = try members.register("caption")
    pin = try members.register("pin")
    removed = try members.register("removed")
    source = try members.register("source")
    title = try members.register("title")
    self.members = members
  }
}

extension ImageFacts {
  init(json: JSON?) throws(DocumentError) {
    guard let format = json?["format"]?.string.flatMap(ImageFormat.init(rawValue:)),
      let width = json?["width"]?.int, let height = json?["height"]?.int,
      let bytes = json?["bytes"]?.int, width > 0, height > 0, bytes > 0
    else { throw .schema("“image” does not give format, width, height and bytes") }
    self.init(format: format, width: width, height: height, bytes: bytes)
  }

  var json: JSON {
    [
      "bytes": JSON(bytes), "format": .string(format.rawValue), "height": JSON(height),
      "width": JSON(width),
    ]
  }
}
