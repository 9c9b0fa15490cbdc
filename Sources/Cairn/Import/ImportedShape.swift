internal import CairnBase
internal import CairnDocument

/// The region of an imported label, in fractions of the upright image; empty for the whole photo.
struct ImportedShape {
  /// The box in the file.
  var box: NormalizedRect?
  /// The outline in the file; empty when there is none.
  var polygons: [Polygon] = []
  var isCrowd: Bool

  init(isCrowd: Bool) { self.isCrowd = isCrowd }

  private static let placeholder = RegionID { 0 }

  /// Whether an outline can be a region.
  var isValid: Bool {
    polygons.isEmpty || Region(id: ImportedShape.placeholder, polygons: polygons) != nil
  }

  /// The largest difference between equal coordinates, in fractions of the image.
  private static let tolerance = 1e-6

  /// Returns whether an existing label's region is the one that the file means. A program that knows
  /// only boxes writes the box of an outline; an earlier version of cairn read only the box.
  func isSame(as region: Region?) -> Bool {
    guard let region else { return box == nil && polygons.isEmpty }
    if polygons.isEmpty { return box.map { ImportedShape.isSame($0, region.box) } ?? false }
    if !region.polygons.isEmpty { return hasSameOutline(as: region) }
    return [polygons.bounds, box].contains {
      $0.map { ImportedShape.isSame($0, region.box) } == true
    }
  }

  /// Returns whether the outlines have the same points, or whether both are boxes.
  func hasSameOutline(as region: Region?) -> Bool {
    let others = region?.polygons ?? []
    guard polygons.count == others.count else { return false }
    return zip(polygons, others).allSatisfy { polygon, other in
      polygon.rings.count == other.rings.count
        && zip(polygon.rings, other.rings).allSatisfy { ring, other in
          ring.count == other.count
            && zip(ring, other).allSatisfy { a, b in
              abs(a.x - b.x) < ImportedShape.tolerance && abs(a.y - b.y) < ImportedShape.tolerance
            }
        }
    }
  }

  /// Returns the region as a line of documents has it; nil for the whole photo.
  ///
  /// - Parameter existing: The region to keep, with its id. An outline and `crowd` are added to it.
  func json(over existing: Region?) -> JSON? {
    let isNewOutline = existing?.polygons.isEmpty != false && !polygons.isEmpty
    if let existing, !isNewOutline {
      var kept = existing
      kept.isCrowd = existing.isCrowd || isCrowd
      return kept.json
    }
    // The id of a new region is derived from its shape later.
    let id = existing?.id ?? ImportedShape.placeholder
    let new =
      polygons.isEmpty
      ? box.flatMap { Region(id: id, box: $0) } : Region(id: id, polygons: polygons)
    guard var new else { return nil }
    new.isCrowd = isCrowd || existing?.isCrowd == true
    new.extra = existing?.extra ?? JSONObject()
    guard var object = new.json.object else { return nil }
    if existing == nil { object["id"] = nil }
    return .object(object)
  }

  private static func isSame(_ a: NormalizedRect, _ b: NormalizedRect) -> Bool {
    func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < tolerance }
    return isSame(a.x, b.x) && isSame(a.y, b.y) && isSame(a.width, b.width)
      && isSame(a.height, b.height)
  }
}
