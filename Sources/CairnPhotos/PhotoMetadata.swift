public import CairnDocument

/// What the file of a photo says of it besides its pixels, in Exif, IPTC and XMP, and in a sidecar.
///
/// What is not valid is taken for not said. Where several places say different things, the sidecar
/// wins, and then the one that the Metadata Working Group has first.
/// Source: MWG, “Guidelines for Handling Image Metadata” 2.0, section 5.
public struct PhotoMetadata: Equatable, Sendable {
  /// A word that somebody put on the photo.
  public struct Keyword: Equatable, Sendable {
    public let text: String
    /// Where it stands: `xmp:dc:subject`, `iptc:2:25`.
    public let source: String
  }

  /// A named part of the photo.
  public struct NamedRegion: Equatable, Sendable {
    public let name: String
    /// Where it stands: `xmp:mwg-rs:Regions`.
    public let source: String
    public let box: RegionBox
  }

  /// How the stored pixels stand to the upright image, 1 to 8. Of Exif alone, as decoders have it.
  public var orientation: Int?
  public var taken: CaptureTime?
  /// Maker and model.
  public var camera: String?
  public var place: CapturePlace?
  public var title: String?
  public var description: String?
  /// Each once, however many places it stands in.
  public var keywords: [Keyword] = []
  public var regions: [NamedRegion] = []
  /// Why not all of the sidecar could be read; nil when all could.
  public var sidecarFailure: String?

  /// - Parameters:
  ///   - bytes: A whole image.
  ///   - facts: Its format and size.
  ///   - sidecar: The bytes of an XMP file beside it.
  public init(
    of bytes: UnsafeRawBufferPointer, _ facts: ImageFacts, sidecar: [UInt8]? = nil
  ) {
    let image = ImageBytes(bytes)
    let embedded = MetadataTags(of: image, facts.format)
    let beside = sidecar?.withUnsafeBytes { MetadataTags(xmp: ImageBytes($0)) } ?? MetadataTags()
    sidecarFailure = beside.failure
    orientation = CairnPhotos.orientation(of: image, facts.format)
    taken = captureTime(beside) ?? captureTime(embedded)
    place = capturePlace(beside) ?? capturePlace(embedded)
    // No camera has a longer name.
    camera = (cameraName(embedded) ?? cameraName(beside)).flatMap {
      $0.utf8.count <= 256 ? $0 : nil
    }
    title = photoTitle(beside) ?? photoTitle(embedded)
    description = photoDescription(beside) ?? photoDescription(embedded)
    let words = photoKeywords(beside)
    keywords = words.isEmpty ? photoKeywords(embedded) : words
    let stored = StoredImage(
      width: facts.width, height: facts.height, orientation: orientation ?? 1)
    let named = photoRegions(beside, of: stored)
    regions = named.isEmpty ? photoRegions(embedded, of: stored) : named
  }
}

extension PhotoMetadata {
  /// Returns where a photo was taken, and reads nothing else of it; nil where its file does not say.
  public static func place(
    in bytes: UnsafeRawBufferPointer, sidecar: [UInt8]? = nil
  ) -> CapturePlace? {
    let image = ImageBytes(bytes)
    guard let format = ImageFormat(signatureOf: image) else { return nil }
    let beside = sidecar?.withUnsafeBytes {
      capturePlace(MetadataTags(xmp: ImageBytes($0)))
    }
    return (beside ?? nil) ?? capturePlace(MetadataTags(of: image, format))
  }
}

extension ImageFacts {
  /// Takes over what metadata say of the image.
  public mutating func take(_ metadata: PhotoMetadata) {
    orientation = metadata.orientation
    taken = metadata.taken
    camera = metadata.camera
    place = metadata.place
  }
}

/// Maker and model, the maker once.
private func cameraName(_ tags: MetadataTags) -> String? {
  let maker = tags.exifText("Image.Make") ?? tags.xmpText("tiff.Make")
  let model = tags.exifText("Image.Model") ?? tags.xmpText("tiff.Model")
  guard let maker, let model else { return model ?? maker }
  let first = maker.split(separator: " ").first.map(String.init) ?? maker
  return model.lowercased().hasPrefix(first.lowercased()) ? model : "\(maker) \(model)"
}

private func photoTitle(_ tags: MetadataTags) -> String? {
  tags.xmpText("dc.title") ?? tags.iptcTexts("Application2.ObjectName").first
    ?? tags.exif("Image.XPTitle").flatMap { windowsText($0.bytes).nonEmpty }
}

private func photoDescription(_ tags: MetadataTags) -> String? {
  let own = tags.exifText("Image.ImageDescription").flatMap { isOfCamera($0) ? nil : $0 }
  return own ?? tags.iptcTexts("Application2.Caption").first ?? tags.xmpText("dc.description")
    ?? tags.exif("Image.XPComment").flatMap { windowsText($0.bytes).nonEmpty }
    ?? tags.exif("Photo.UserComment").flatMap { commentText($0.bytes).nonEmpty }
}

/// Whether a description is one that cameras write into every photo.
private func isOfCamera(_ text: String) -> Bool {
  let text = text.uppercased()
  return text.hasSuffix("DIGITAL CAMERA") || text.hasPrefix("<DIGIMAX")
    || ["SONY DSC", "SAMSUNG", "EXIF_JPEG_PICTURE", "DCIM", "DEFAULT"].contains(text)
}
