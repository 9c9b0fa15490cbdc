internal import CairnBase

/// A stored image with its orientation.
struct StoredImage {
  let width: Int
  let height: Int
  let orientation: Int

  /// Clips a box to the image and rotates it upright; nil when nothing is left of it.
  func upright(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> NormalizedRect? {
    guard [x, y, width, height].allSatisfy(\.isFinite) else { return nil }
    let (left, top) = (max(0, x), max(0, y))
    let (right, bottom) = (min(1, x + width), min(1, y + height))
    guard right - left > 1e-6, bottom - top > 1e-6 else { return nil }
    // The left, top, right and bottom edges on the upright image.
    let edges =
      switch orientation {
      case 2: (1 - right, top, 1 - left, bottom)
      case 3: (1 - right, 1 - bottom, 1 - left, 1 - top)
      case 4: (left, 1 - bottom, right, 1 - top)
      case 5: (top, left, bottom, right)
      case 6: (1 - bottom, left, 1 - top, right)
      case 7: (1 - bottom, 1 - right, 1 - top, 1 - left)
      case 8: (top, 1 - right, bottom, 1 - left)
      default: (left, top, right, bottom)
      }
    let (newX, newY) = (rounded(edges.0, 1e7), rounded(edges.1, 1e7))
    return NormalizedRect(
      x: newX, y: newY, width: rounded(edges.2 - newX, 1e7), height: rounded(edges.3 - newY, 1e7))
  }
}

/// The maximum number of regions in one photo.
private let regionLimit = 1000

/// Returns the regions of a photo: people, pets and objects, and faces that a camera detected, which have
/// no name.
func photoRegions(_ tags: MetadataTags, of image: StoredImage) -> [PhotoMetadata.Region] {
  let regions = groupRegions(tags, of: image)
  // Programs that write both schemas write the same regions.
  return regions.isEmpty ? microsoftRegions(tags) : regions
}

/// Returns faces, pets and objects, which have their centers recorded on the stored image.
///
/// Source: MWG, “Guidelines for Handling Image Metadata” 2.0, section 5.10 and “Image regions”.
private func groupRegions(
  _ tags: MetadataTags, of image: StoredImage
) -> [PhotoMetadata.Region] {
  let list = "mwg-rs.Regions/mwg-rs:RegionList"
  let size = { (side: String) in
    tags.xmpText("mwg-rs.Regions/mwg-rs:AppliedToDimensions/stDim:\(side)").flatMap { Double($0) }
  }
  let (width, height) = (size("w"), size("h"))
  // Some programs record coordinates on the upright image, and then its dimensions, too.
  var isUpright = false
  if image.orientation >= 5, image.width != image.height, let width, let height, width != height {
    isUpright = (width > height) == (image.height > image.width)
  }
  let stored = StoredImage(
    width: image.width, height: image.height, orientation: isUpright ? 1 : image.orientation)
  return (1...regionLimit).lazy.map { "\(list)[\($0)]" }
    .prefix { tags.has("Xmp.\($0)") }
    .compactMap { region -> PhotoMetadata.Region? in
      let type = tags.xmpText("\(region)/mwg-rs:Type") ?? ""
      // Focus areas are not labels.
      if type == "Focus" { return nil }
      let area = { (side: String) in
        tags.xmpText("\(region)/mwg-rs:Area/stArea:\(side)").flatMap { Double($0) }
      }
      guard var x = area("x"), var y = area("y"), var w = area("w"), var h = area("h")
      else { return nil }
      if tags.xmpText("\(region)/mwg-rs:Area/stArea:unit") == "pixel" {
        guard let width, let height, width > 0, height > 0 else { return nil }
        (x, y, w, h) = (x / width, y / height, w / width, h / height)
      }
      return stored.upright(x - w / 2, y - h / 2, w, h).map {
        PhotoMetadata.Region(
          name: tags.xmpText("\(region)/mwg-rs:Name"), type: type.nonEmpty,
          source: "xmp:mwg-rs:Regions", box: $0)
      }
    }
}

/// Returns people by the corners of their faces, recorded on the upright image.
///
/// Source: Microsoft, “People Tagging Overview” (Windows Imaging Component).
private func microsoftRegions(_ tags: MetadataTags) -> [PhotoMetadata.Region] {
  let upright = StoredImage(width: 1, height: 1, orientation: 1)
  return (1...regionLimit).lazy.map { "MP.RegionInfo/MPRI:Regions[\($0)]" }
    .prefix { tags.has("Xmp.\($0)") }
    .compactMap { region -> PhotoMetadata.Region? in
      let numbers = tags.xmpText("\(region)/MPReg:Rectangle")?.split(separator: ",")
        .compactMap { Double(String($0).trimmed) }
      guard let numbers, numbers.count == 4 else { return nil }
      return upright.upright(numbers[0], numbers[1], numbers[2], numbers[3]).map {
        PhotoMetadata.Region(
          name: tags.xmpText("\(region)/MPReg:PersonDisplayName"), type: "Face",
          source: "xmp:MP:RegionInfo", box: $0)
      }
    }
}
