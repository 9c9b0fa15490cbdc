internal import CairnBase
internal import CairnDocument

/// The shapes of a labelme file as labels. Shapes of one class with the same `group_id` are the parts
/// of one object.
///
/// Source: labelme, `labelme/shape.py`, and `group_id` in its `examples/instance_segmentation`.
struct LabelMeShapes {
  private let source: ImportReader
  private var objects = ImportedObjects()

  var labels: [ImportedLabel] { objects.labels }

  init(_ source: ImportReader) { self.source = source }

  private static let read: Set<String> = [
    "label", "points", "shape_type", "description", "group_id", "mask",
  ]

  mutating func add(_ shape: JSON, _ location: ImportedLocation) throws {
    guard let name = shape["label"]?.string, shape["points"]?.array != nil else {
      return try source.problem(location, "a shape without “label” or “points”")
    }
    guard let points = shape["points"]?.pairs else {
      return try source.problem(location, "a point that is not two numbers")
    }
    let type = shape["shape_type"]?.string ?? "polygon"
    let region: ImportedRegion
    switch type {
    case "rectangle":
      guard points.count == 2 else {
        return try source.problem(location, "a rectangle without two corners")
      }
      let (x, y) = (min(points[0].x, points[1].x), min(points[0].y, points[1].y))
      region = .box(
        .pixels(
          x: x, y: y, width: abs(points[0].x - points[1].x),
          height: abs(points[0].y - points[1].y)))
    case "polygon", "oriented_rectangle":
      guard let polygon = ImportedRegion.polygon(points) else {
        return try source.problem(location, "a polygon without three points")
      }
      region = polygon
    case "circle":
      guard points.count == 2 else {
        return try source.problem(location, "a circle without a center and a point on it")
      }
      let (dx, dy) = (points[1].x - points[0].x, points[1].y - points[0].y)
      let radius = (dx * dx + dy * dy).squareRoot()
      region = source.ellipse(points[0], radius, radius, kind: "circles")
    case "line", "linestrip":
      guard let box = source.box(around: points, kind: "lines") else {
        return try source.problem(location, "a line whose bounding box has no area")
      }
      region = box
    case "mask":
      guard let corner = points.first,
        let mask = PackedMask(packedPNG: shape["mask"]?.string ?? ""),
        case let outline = ImportedOutline(mask, at: corner), !outline.polygons.isEmpty
      else { return try source.problem(location, "a mask without a corner or a PNG with an area") }
      region = .outline(outline)
    default:
      return try source.problem(location, "a \(type.prefix(32)), which is not imported")
    }
    source.ignore(shape.object ?? [:], but: LabelMeShapes.read, of: "shapes")
    var label = ImportedLabel(name, region)
    label.text = shape.object?.text("description")
    objects.add(label, group: shape["group_id"]?.number)
  }
}
