public import CairnBase

/// Facts read from an image file; never edited.
public struct ImageFacts: Equatable, Sendable {
  /// The format of the file.
  public var format: ImageFormat
  /// In pixels, as stored: before the orientation in the metadata is applied. For a raw photo, the
  /// width of its embedded preview.
  public var width: Int
  /// In pixels, as stored.
  public var height: Int
  /// The size of the file.
  public var bytes: Int
  /// The orientation of the stored pixels: 1 (upright) to 8. Source: Exif 2.32, tag 0x0112.
  public var orientation: Int?
  /// When the photo was taken; nil if the file does not say.
  public var taken: CaptureTime?
  /// Maker and model.
  public var camera: String?
  /// Where the photo was taken; nil if the file does not say.
  public var location: CaptureLocation?
  /// The keywords in the file, each once.
  public var keywords: [String] = []
  /// The regions in the file: faces, pets and objects, with or without a name.
  public var regions: [ImageRegion] = []

  /// Creates the facts that every image has; the size is in pixels, as stored.
  public init(format: ImageFormat, width: Int, height: Int, bytes: Int) {
    (self.format, self.width, self.height, self.bytes) = (format, width, height, bytes)
  }

  /// Whether the orientation swaps width and height.
  package var isTransposed: Bool { (orientation ?? 1) >= 5 }
}

/// The location where a photo was taken, as recorded in its file.
public struct CaptureLocation: Equatable, Sendable {
  /// The latitude and the longitude.
  public var coordinate: Coordinate
  /// In meters above sea level.
  public var altitude: Double?

  /// Creates a location.
  ///
  /// - Parameter altitude: In meters above sea level.
  public init(_ coordinate: Coordinate, altitude: Double? = nil) {
    (self.coordinate, self.altitude) = (coordinate, altitude)
  }
}

/// A region that the metadata of an image file describe: a person with a name, or a face that a
/// camera detected.
public struct ImageRegion: Equatable, Sendable {
  /// In fractions of the upright image.
  public var box: NormalizedRect
  /// The name that the file gives it; nil for a detection that nobody has named.
  public var name: String?
  /// The kind of region according to the file: Face, Pet …
  public var type: String?

  /// Creates a region; nil unless its box has an area and lies within the image.
  public init?(_ box: NormalizedRect, name: String? = nil, type: String? = nil) {
    guard box.isWithinPhoto else { return nil }
    (self.box, self.name, self.type) = (box, name, type)
  }
}

/// The image formats that a dataset holds.
///
/// A version of cairn that does not know the format of a photo leaves the photo out, and keeps its
/// document.
public enum ImageFormat: String, Sendable, CaseIterable {
  case jpeg, png, webp, heic
  case gif, bmp, tiff, avif
  /// The raw photos of cameras: Adobe and others, Canon, Nikon, Sony, Olympus, Panasonic, Fujifilm,
  /// Pentax.
  case dng, cr2, cr3, nef, arw, orf, rw2, raf, pef

  /// The extension of its files, without the dot.
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// Whether its pixels are those of a sensor, so that the embedded preview is shown instead.
  package var isRaw: Bool {
    switch self {
    case .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef: true
    case .jpeg, .png, .webp, .heic, .gif, .bmp, .tiff, .avif: false
    }
  }

  /// The media type. Those of raw photos are not registered: these are in common use.
  package var mediaType: String {
    switch self {
    case .dng: "image/x-adobe-dng"
    case .cr2, .cr3: "image/x-canon-\(rawValue)"
    case .nef: "image/x-nikon-nef"
    case .arw: "image/x-sony-arw"
    case .orf: "image/x-olympus-orf"
    case .rw2: "image/x-panasonic-rw2"
    case .raf: "image/x-fuji-raf"
    case .pef: "image/x-pentax-pef"
    case .jpeg, .png, .webp, .heic, .gif, .bmp, .tiff, .avif: "image/\(rawValue)"
    }
  }

  /// The file extensions of these formats, in lower case.
  package static let knownExtensions: Set = [
    "jpg", "jpeg", "jpe", "jfif", "mpo", "png", "apng", "webp", "heic", "heif", "hif", "gif", "bmp",
    "dib", "tif", "tiff", "avif", "dng", "cr2", "cr3", "nef", "arw", "orf", "rw2", "raf", "pef",
  ]

  /// Returns the format whose files have this extension; nil if there is none.
  package init?(fileExtension: String) {
    guard let format = ImageFormat.allCases.first(where: { $0.fileExtension == fileExtension })
    else { return nil }
    self = format
  }
}

extension ImageFacts {
  /// The sides that an image can have: products of two do not overflow.
  private static let sides = 1...Int(Int32.max)

  init(json: JSON?) throws(DocumentError) {
    guard let format = json?["format"]?.string.flatMap(ImageFormat.init(rawValue:)),
      let width = json?["width"]?.int, let height = json?["height"]?.int,
      let bytes = json?["bytes"]?.int, ImageFacts.sides ~= width, ImageFacts.sides ~= height,
      bytes > 0
    else { throw .schema("“image” has no valid format, width, height or bytes") }
    self.init(format: format, width: width, height: height, bytes: bytes)
    func optional<Value>(
      _ key: String, _ what: String, _ make: (JSON) -> Value?
    ) throws(DocumentError) -> Value? {
      guard let member = json?[key] else { return nil }
      guard let value = make(member) else { throw .schema("“\(key)” of “image” is not \(what)") }
      return value
    }
    orientation = try optional("orientation", "a number from 1 to 8") { json in
      json.int.flatMap { 1...8 ~= $0 ? $0 : nil }
    }
    taken = try optional("taken", "a date and time") { $0.string.flatMap { CaptureTime($0) } }
    camera = try optional("camera", String.expectation) { String(json: $0) }
    location = try optional("place", Coordinate.expectation) { CaptureLocation(json: $0) }
    keywords =
      try optional("keywords", "a list of texts") { values($0) { String(json: $0) } } ?? []
    regions =
      try optional("regions", "a list of boxes within the image") { list in
        values(list) { ImageRegion(json: $0) }
      } ?? []
  }

  public var json: JSON {
    var object: JSONObject = [
      "bytes": JSON(bytes), "format": .string(format.rawValue), "height": JSON(height),
      "width": JSON(width),
    ]
    object["camera"] = camera.map { .string($0) }
    object["orientation"] = orientation.map { JSON($0) }
    object["place"] = location?.json
    object["taken"] = taken.map { .string($0.description) }
    if !keywords.isEmpty { object["keywords"] = .array(keywords.map { .string($0) }) }
    if !regions.isEmpty { object["regions"] = .array(regions.map(\.json)) }
    return .object(object)
  }
}

/// Returns the elements of a list; nil if it is no list or has an invalid element.
private func values<Value>(_ list: JSON, _ make: (JSON) -> Value?) -> [Value]? {
  guard let elements = list.array else { return nil }
  let values = elements.compactMap(make)
  return values.count == elements.count ? values : nil
}

extension ImageRegion {
  init?(json: JSON) {
    guard let x = json["x"]?.double, let y = json["y"]?.double,
      let width = json["width"]?.double, let height = json["height"]?.double
    else { return nil }
    for key in ["name", "type"] {
      if let member = json[key], String(json: member) == nil { return nil }
    }
    self.init(
      NormalizedRect(x: x, y: y, width: width, height: height), name: json["name"]?.string,
      type: json["type"]?.string)
  }

  public var json: JSON {
    var object: JSONObject = [
      "height": JSON(box.height), "width": JSON(box.width), "x": JSON(box.x), "y": JSON(box.y),
    ]
    object["name"] = name.map { .string($0) }
    object["type"] = type.map { .string($0) }
    return .object(object)
  }
}

extension CaptureLocation {
  init?(json: JSON) {
    guard let coordinate = Coordinate(json: json) else { return nil }
    var altitude: Double?
    if let member = json["altitude"] {
      // An integer may have more digits than a double can express.
      guard let value = member.double, value.isFinite else { return nil }
      altitude = value
    }
    self.init(coordinate, altitude: altitude)
  }

  public var json: JSON {
    var object = coordinate.json.object ?? [:]
    object["altitude"] = altitude.map { JSON($0) }
    return .object(object)
  }
}
