internal import CairnBase
internal import CairnDocument

/// A shape of CVAT, in pixels.
///
/// Source: CVAT “XML annotation format”, version 1.1.
struct CVATShape {
  private let shape: XMLElement
  private let source: ImportReader

  init(_ shape: XMLElement, _ source: ImportReader) { (self.shape, self.source) = (shape, source) }

  /// The region; nil when its coordinates are missing or enclose no area.
  var region: ImportedRegion? {
    switch shape.name {
    case "box": box
    case "ellipse": ellipse
    case "mask": mask
    case "polygon": points.flatMap { .polygon($0) }
    case "polyline": points.flatMap { source.box(around: $0, kind: "polylines") }
    default: points.flatMap { source.box(around: $0, kind: "sets of points") }
    }
  }

  private func numbers(_ names: String...) -> [Double]? {
    let numbers = names.compactMap { shape.number($0) }
    return numbers.count == names.count ? numbers : nil
  }

  private var box: ImportedRegion? {
    guard let corners = numbers("xtl", "ytl", "xbr", "ybr") else { return nil }
    let (left, top, right, bottom) = (corners[0], corners[1], corners[2], corners[3])
    if let angle = shape.number("rotation"), angle != 0 {
      return .rotated(left, top, right, bottom, degrees: angle)
    }
    return .box(.pixels(x: left, y: top, width: right - left, height: bottom - top))
  }

  private var ellipse: ImportedRegion? {
    guard let values = numbers("cx", "cy", "rx", "ry") else { return nil }
    return source.ellipse(
      Polygon.Point(x: values[0], y: values[1]), values[2], values[3],
      degrees: shape.number("rotation") ?? 0, kind: "ellipses")
  }

  /// The outline of the runs of a mask: background and foreground by turns, row by row in its frame.
  private var mask: ImportedRegion? {
    guard let frame = numbers("left", "top", "width", "height"), let text = shape.attribute("rle"),
      let width = Int(exactly: frame[2]), let height = Int(exactly: frame[3])
    else { return nil }
    let runs = text.split(separator: ",").map { Int(String($0).trimmingSpaces()) }
    // Rows are read as columns, so that width and height change places.
    guard
      let mask = RunLengthMask(
        width: height, height: width, counts: runs.compactMap { $0 }), !runs.contains(nil)
    else { return nil }
    let outline = [Polygon](tracingRows: mask.columns).map { polygon in
      polygon.mapped { Polygon.Point(x: frame[0] + $0.x, y: frame[1] + $0.y) }
    }
    return outline.isEmpty ? nil : .outline(ImportedOutline(outline, in: .pixels))
  }

  /// The points of `1.5,2;3,4`; nil when one is not two numbers.
  private var points: [Polygon.Point]? {
    var points: [Polygon.Point] = []
    for pair in (shape.attribute("points") ?? "").split(separator: ";") {
      let numbers = pair.split(separator: ",").compactMap { Double(String($0).trimmingSpaces()) }
      guard numbers.count == 2, numbers.allSatisfy(\.isFinite) else { return nil }
      points.append(Polygon.Point(x: numbers[0], y: numbers[1]))
    }
    return points
  }
}
