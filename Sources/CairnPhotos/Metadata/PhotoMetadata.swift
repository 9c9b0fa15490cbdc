package import CairnBase
package import CairnDocument

/// The metadata of a photo file in Exif, IPTC and XMP, and in a sidecar.
///
/// Invalid values are treated as missing. In case of conflict, the sidecar wins, then the Metadata
/// Working Group's order of preference.
/// Source: MWG, “Guidelines for Handling Image Metadata” 2.0, section 5.
package struct PhotoMetadata: Equatable, Sendable {
  /// A keyword of the photo.
  package struct Keyword: Equatable, Sendable {
    package let text: String
    /// The field it comes from: `xmp:dc:subject`, `iptc:2:25`.
    package let source: String
  }

  /// A region of the photo.
  package struct Region: Equatable, Sendable {
    /// The name; nil for a detection that nobody has named.
    package let name: String?
    /// The kind of region: Face, Pet …
    package let type: String?
    /// The field it comes from: `xmp:mwg-rs:Regions`.
    package let source: String
    package let box: NormalizedRect
  }

  /// The orientation of the stored pixels, 1 to 8; from Exif or HEIC properties only, as in
  /// decoders.
  package var orientation: Int?
  package var taken: CaptureTime?
  /// The maker and model.
  package var camera: String?
  package var location: CaptureLocation?
  package var title: String?
  package var description: String?
  /// The keywords without duplicates.
  package var keywords: [Keyword] = []
  package var regions: [Region] = []
  /// The reason why part of the sidecar could not be read; nil when all was read.
  package var sidecarFailure: String?
  /// What could not be read from the file itself, such as “XMP”; nil when all was read.
  package var failure: String?

  /// Reads the metadata of an image.
  ///
  /// - Parameters:
  ///   - bytes: A whole image.
  ///   - facts: Its format and size.
  ///   - sidecar: The bytes of an XMP file beside it.
  package init(
    of bytes: UnsafeRawBufferPointer, _ facts: ImageFacts, sidecar: [UInt8]? = nil
  ) {
    let image = ImageBytes(bytes)
    let embeddedTags = MetadataTags(of: image, facts.format)
    let sidecarTags =
      sidecar?.withUnsafeBytes { MetadataTags(xmp: ImageBytes($0)) } ?? MetadataTags()
    sidecarFailure = sidecarTags.failure
    failure = embeddedTags.failure
    orientation = CairnPhotos.orientation(of: image, facts.format)
    taken = captureTime(sidecarTags) ?? captureTime(embeddedTags)
    location = captureLocation(sidecarTags) ?? captureLocation(embeddedTags)
    // Longer names are invalid.
    camera = (cameraName(sidecarTags) ?? cameraName(embeddedTags)).flatMap {
      $0.utf8.count <= 256 ? $0 : nil
    }
    title = photoTitle(sidecarTags) ?? photoTitle(embeddedTags)
    description = photoDescription(sidecarTags) ?? photoDescription(embeddedTags)
    let sidecarKeywords = photoKeywords(sidecarTags)
    keywords = sidecarKeywords.isEmpty ? photoKeywords(embeddedTags) : sidecarKeywords
    let stored = StoredImage(
      width: facts.width, height: facts.height, orientation: orientation ?? 1)
    let sidecarRegions = photoRegions(sidecarTags, of: stored)
    regions = sidecarRegions.isEmpty ? photoRegions(embeddedTags, of: stored) : sidecarRegions
  }
}

extension PhotoMetadata {
  /// Returns the location where a photo was taken, without reading other metadata; nil when it has
  /// none.
  package static func location(
    in bytes: UnsafeRawBufferPointer, sidecar: [UInt8]? = nil
  ) -> CaptureLocation? {
    let image = ImageBytes(bytes)
    guard let format = ImageFormat(signatureOf: image) else { return nil }
    let recorded = sidecar?.withUnsafeBytes {
      captureLocation(MetadataTags(xmp: ImageBytes($0)))
    }
    return (recorded ?? nil) ?? captureLocation(MetadataTags(of: image, format))
  }
}

extension ImageFacts {
  /// Copies the metadata of the image, except for keywords and regions beyond the limits below.
  package mutating func take(_ metadata: PhotoMetadata) {
    orientation = metadata.orientation
    taken = metadata.taken
    camera = metadata.camera
    location = metadata.location
    var left = ImageFacts.keywordBytes
    keywords = metadata.keywords.map(\.text).filter { text in
      guard text.utf8.count <= min(left, ImageFacts.keywordLength) else { return false }
      left -= text.utf8.count
      return true
    }
    regions = metadata.regions.compactMap { region in
      ImageRegion(region.box, name: short(region.name), type: short(region.type))
    }
    regions = Array(regions.prefix(ImageFacts.regionLimit))
  }

  // Limits that keep a document within its own.
  /// The maximum length of a keyword, and of all keywords together, in bytes.
  private static let keywordLength = 1 << 10
  private static let keywordBytes = 1 << 15
  private static let regionLimit = 250
}

/// Returns a name that is not longer than that of a class may be.
private func short(_ name: String?) -> String? {
  name.flatMap { $0.utf8.count <= 256 ? $0 : nil }
}

/// Returns the maker and model, without repeating the maker.
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

/// Returns whether a description is one that cameras write into every photo.
private func isOfCamera(_ text: String) -> Bool {
  // “OLYMPUS DIGITAL CAMERA”, but not a sentence that ends in these words.
  if text.hasSuffix("DIGITAL CAMERA"), text.split(separator: " ").count <= 4 { return true }
  let text = text.uppercased()
  return text.hasPrefix("<DIGIMAX")
    || ["SONY DSC", "SAMSUNG", "EXIF_JPEG_PICTURE", "DCIM", "DEFAULT"].contains(text)
}
