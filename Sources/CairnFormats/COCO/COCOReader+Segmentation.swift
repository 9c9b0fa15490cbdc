internal import CairnBase
internal import CairnDocument

extension COCOReader {
  /// Returns the outline of an annotation: the parts of a list of polygons, or the border of a mask;
  /// nil if there is none.
  ///
  /// Source: COCO “Data format”, and `annToRLE` of pycocotools.
  /// - Parameter extent: The size of the image in the file, which a mask must have.
  func outline(
    of annotation: JSONObject, _ extent: PixelExtent?
  ) -> Result<ImportedOutline?, COCOProblem> {
    guard let json = annotation["segmentation"], !json.isNull else { return .success(nil) }
    if json.object != nil { return outline(ofMask: json, extent).map { Optional($0) } }
    guard let array = json.array else {
      return .failure(COCOProblem("“segmentation” is neither a list of polygons nor a mask"))
    }
    if array.isEmpty { return .success(nil) }
    // Some programs write a single polygon without the list around it.
    let lists = array.allSatisfy { $0.array == nil } ? [json] : array
    var polygons: [Polygon] = []
    var degenerate = 0
    for list in lists {
      let numbers = (list.array ?? []).compactMap(\.number)
      guard let count = list.array?.count, numbers.count == count, count.isMultiple(of: 2) else {
        return .failure(COCOProblem("a polygon of “segmentation” is not a list of x, y, x, y, …"))
      }
      if count < 6 { degenerate += 1 } else { polygons.append(Polygon(flat: numbers)) }
    }
    if polygons.isEmpty, annotation["bbox"]?.array?.isEmpty != false {
      return .failure(COCOProblem("no polygon of “segmentation” has three points"))
    }
    if degenerate > 0 {
      ignore("polygons of “segmentation” with fewer than three points", degenerate)
    }
    return .success(polygons.isEmpty ? nil : ImportedOutline(polygons, in: .pixels))
  }

  private func outline(
    ofMask json: JSON, _ extent: PixelExtent?
  ) -> Result<ImportedOutline, COCOProblem> {
    guard let mask = RunLengthMask(json: json) else {
      return .failure(
        COCOProblem("the mask in “segmentation” is not valid: its counts do not fill its size"))
    }
    let size = PixelExtent(width: Double(mask.width), height: Double(mask.height))
    if let extent, extent != size {
      return .failure(
        COCOProblem(
          "the mask has \(mask.width) × \(mask.height) pixels, but the image has \(extent)"))
    }
    let outline = ImportedOutline(mask)
    return outline.polygons.isEmpty
      ? .failure(COCOProblem("the mask in “segmentation” is empty")) : .success(outline)
  }

  /// Counts the boxes that are not those of their outlines.
  func compare(_ box: ImportedBox?, with outline: ImportedOutline) {
    guard outline.unit == .pixels, let bounds = outline.polygons.bounds,
      case .pixels(let x, let y, let width, let height)? = box
    else { return }
    let differences = [
      x - bounds.x, y - bounds.y, x + width - bounds.x - bounds.width,
      y + height - bounds.y - bounds.height,
    ]
    if differences.contains(where: { abs($0) > 1.5 }) {
      ignore("“bbox” that is not the box around the outline")
    }
  }
}

/// A reason why an annotation cannot be imported.
struct COCOProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

extension Polygon {
  /// Creates a polygon from an even count of numbers: x, y, x, y, ….
  init(flat numbers: [Double]) {
    let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
      Polygon.Point(x: numbers[$0], y: numbers[$0 + 1])
    }
    self.init(outer: points)
  }
}
