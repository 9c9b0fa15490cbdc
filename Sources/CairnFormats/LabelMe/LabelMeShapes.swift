internal import CairnBase
internal import CairnDocument
internal import LibC

/// The shapes of a labelme file as labels. Shapes of one class with the same `group_id` are the parts
/// of one object.
///
/// Source: labelme, `labelme/shape.py`, and `group_id` in its `examples/instance_segmentation`.
struct LabelMeShapes {
  private let source: ImportReader
  private(set) var labels: [ImportedLabel] = []
  /// The indices of the labels of groups.
  private var groups: [Group: Int] = [:]

  private struct Group: Hashable {
    let name: String
    let number: Double
  }

  init(_ source: ImportReader) { self.source = source }

  private static let read: Set<String> = [
    "label", "points", "shape_type", "description", "group_id",
  ]

  /// The number of points of a circle's outline.
  private static let circlePoints = 64

  mutating func add(_ shape: JSON, _ location: ImportedLocation) throws {
    guard let name = shape["label"]?.string, let given = shape["points"]?.array else {
      return try source.problem(location, "a shape without “label” or “points”")
    }
    let points = given.compactMap { point -> Polygon.Point? in
      guard let array = point.array, array.count == 2, let x = array[0].number,
        let y = array[1].number
      else { return nil }
      return Polygon.Point(x: x, y: y)
    }
    guard points.count == given.count else {
      return try source.problem(location, "a point that is not two numbers")
    }
    let type = shape["shape_type"]?.string ?? "polygon"
    var label = ImportedLabel(name)
    label.text = shape.object?.text("description")
    switch type {
    case "rectangle":
      guard points.count == 2 else {
        return try source.problem(location, "a rectangle without two corners")
      }
      let (x, y) = (min(points[0].x, points[1].x), min(points[0].y, points[1].y))
      label.box = .pixels(
        x: x, y: y, width: abs(points[0].x - points[1].x), height: abs(points[0].y - points[1].y))
    case "polygon", "oriented_rectangle":
      guard points.count >= 3 else {
        return try source.problem(location, "a polygon without three points")
      }
      label.outline = ImportedOutline([Polygon(outer: points)], in: .pixels)
    case "circle":
      guard points.count == 2 else {
        return try source.problem(location, "a circle without a middle and a point on it")
      }
      source.ignore("the exact form of circles: they become polygons of 64 points")
      label.outline = ImportedOutline(
        [LabelMeShapes.circle(points[0], through: points[1])], in: .pixels)
    default:
      return try source.problem(
        location,
        "a \(type.prefix(32)), which is not imported: only polygons, rectangles and circles are")
    }
    source.ignore(shape.object ?? [:], but: LabelMeShapes.read, of: "shapes")
    add(label, group: shape["group_id"]?.number)
  }

  /// Adds a label, as a part of its group if that has one with an outline.
  private mutating func add(_ label: ImportedLabel, group: Double?) {
    guard let group, let outline = label.outline else { return labels.append(label) }
    let key = Group(name: label.className, number: group)
    if let index = groups[key] {
      labels[index].outline?.polygons += outline.polygons
      labels[index].text = labels[index].text ?? label.text
    } else {
      groups[key] = labels.count
      labels.append(label)
    }
  }

  private static func circle(_ middle: Polygon.Point, through point: Polygon.Point) -> Polygon {
    let (dx, dy) = (point.x - middle.x, point.y - middle.y)
    let radius = (dx * dx + dy * dy).squareRoot()
    return Polygon(
      outer: (0..<circlePoints).map { index in
        let angle = 2 * Double.pi * Double(index) / Double(circlePoints)
        return Polygon.Point(
          x: middle.x + radius * cos(angle), y: middle.y + radius * sin(angle))
      })
  }
}
