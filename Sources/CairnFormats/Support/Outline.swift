internal import LibC

/// A corner of an outline, in the units of its file.
struct OutlinePoint {
  let x: Double
  let y: Double
}

// Regions are boxes: in one place for all formats, an outline becomes its bounding box, and this is
// counted.

extension ImportReader {
  /// Returns the box of an outline in pixels, and counts that the outline itself is not kept; nil
  /// when it has no area.
  ///
  /// - Parameter kind: The plural of the shape's name: `polygons`.
  func box(ofOutline points: [OutlinePoint], kind: String) -> ImportedBox? {
    guard points.count >= 2 else { return nil }
    var (left, top, right, bottom) = (points[0].x, points[0].y, points[0].x, points[0].y)
    for point in points {
      (left, right) = (min(left, point.x), max(right, point.x))
      (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }
    guard right > left, bottom > top else { return nil }
    ignore("the outlines of \(kind): their bounding boxes are imported")
    return .pixels(x: left, y: top, width: right - left, height: bottom - top)
  }
}

/// Returns the corners of a box rotated clockwise about its center.
func rotatedCorners(
  _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, degrees: Double
) -> [OutlinePoint] {
  let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
  let (x, y) = ((left + right) / 2, (top + bottom) / 2)
  let corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
  return corners.map { corner in
    let (across, down) = (corner.0 - x, corner.1 - y)
    return OutlinePoint(
      x: x + across * cosine - down * sine, y: y + across * sine + down * cosine)
  }
}
