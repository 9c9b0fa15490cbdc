internal import CairnBase

extension RunLengthMask {
  /// Creates the mask of the pixels whose middle is inside an outline; nil if the image is too
  /// large.
  ///
  /// A pixel is inside a polygon if it is inside an odd number of its rings, and in the mask if it is
  /// inside any polygon.
  /// - Parameter polygons: In pixels.
  init?(filling polygons: [Polygon], width: Int, height: Int) {
    let sides = 1...RunLengthMask.sideLimit
    guard sides ~= width, sides ~= height else { return nil }
    var columns = [[Range<Int>]](repeating: [], count: width)
    for polygon in polygons {
      for (x, rows) in RunLengthMask.rows(in: polygon, width: width, height: height) {
        columns[x] += rows
      }
    }
    var counts: [Int] = []
    // The end of the last foreground run.
    var end = 0
    for (x, rows) in columns.enumerated() {
      var merged: [Range<Int>] = []
      for range in rows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        merged.appendMerging(range)
      }
      for range in merged {
        let start = x * height + range.lowerBound
        if start == end, !counts.isEmpty {
          counts[counts.count - 1] += range.count
        } else {
          counts += [start - end, range.count]
        }
        end = start + range.count
      }
    }
    if end < width * height { counts.append(width * height - end) }
    self.init(width: width, height: height, counts: counts)
  }

  /// Returns the rows inside a polygon, by column.
  private static func rows(
    in polygon: Polygon, width: Int, height: Int
  ) -> [(x: Int, rows: [Range<Int>])] {
    var crossings: [Int: [Double]] = [:]
    for ring in polygon.rings {
      guard var last = ring.last else { continue }
      for point in ring {
        let (left, right) = last.x < point.x ? (last, point) : (point, last)
        // The columns whose middle is between the two points.
        let (first, end) = (index(left.x, width), index(right.x, width))
        for x in first..<max(first, end) {
          let share = (Double(x) + 0.5 - left.x) / (right.x - left.x)
          crossings[x, default: []].append(left.y + share * (right.y - left.y))
        }
        last = point
      }
    }
    return crossings.map { x, ys in
      let sorted = ys.sorted()
      let rows = stride(from: 0, to: sorted.count - 1, by: 2).map { i in
        let start = index(sorted[i], height)
        return start..<max(start, index(sorted[i + 1], height))
      }
      return (x, rows.filter { !$0.isEmpty })
    }
  }

  /// Returns the first pixel whose middle is not before a coordinate.
  private static func index(_ coordinate: Double, _ size: Int) -> Int {
    Int(min(max((coordinate - 0.5).rounded(.up), 0), Double(size)))
  }
}
