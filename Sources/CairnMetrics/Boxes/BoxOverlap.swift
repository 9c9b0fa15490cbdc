package import CairnBase

/// A box by its top left corner and its size, in any unit.
package protocol Rectangle {
  var x: Double { get }
  var y: Double { get }
  var width: Double { get }
  var height: Double { get }
}

extension NormalizedRect: Rectangle {}
extension PixelRect: Rectangle {}

extension Rectangle {
  /// Returns the area that two boxes share, as a fraction of the area that they cover together
  /// (intersection over union, IoU): 0 to 1.
  ///
  /// It is the same in fractions of the photo as in pixels, up to rounding. The steps are those of
  /// `bbIou` in pycocotools' `maskApi.c`, so that the same numbers give the same bits.
  package func overlap(with other: Self) -> Double {
    guard let shared = sharedArea(with: other) else { return 0 }
    return shared / (width * height + other.width * other.height - shared)
  }

  /// Returns the area that it shares with a crowd's box as a fraction of its own, as `bbIou` does: 0
  /// to 1.
  package func share(inside crowd: Self) -> Double {
    guard let shared = sharedArea(with: crowd) else { return 0 }
    return shared / (width * height)
  }

  /// Returns the area that two boxes share; nil when they do not overlap.
  private func sharedArea(with other: Self) -> Double? {
    let across = min(x + width, other.x + other.width) - max(x, other.x)
    let down = min(y + height, other.y + other.height) - max(y, other.y)
    guard across > 0, down > 0 else { return nil }
    return across * down
  }
}

/// Pairs of boxes of two annotators that mean the same thing.
package enum BoxMatching {
  /// The overlap from which two boxes mean the same thing.
  package static let threshold = 0.5
  /// How far rounding may separate two equal overlaps.
  static let tolerance = 1e-9

  package struct Pair: Equatable, Sendable {
    /// Indices of the boxes.
    package let first: Int
    package let second: Int
    package let overlap: Double
  }

  /// Returns the pairs with an overlap of at least ``threshold``, each box in one pair at most: the
  /// pair with the greatest overlap first, of equal ones the first by index.
  package static func pairs(
    _ first: [NormalizedRect], _ second: [NormalizedRect]
  ) -> [Pair] {
    var candidates: [Pair] = []
    for (a, box) in first.enumerated() {
      for (b, other) in second.enumerated() {
        let overlap = box.overlap(with: other)
        if overlap >= threshold - tolerance {
          candidates.append(Pair(first: a, second: b, overlap: overlap))
        }
      }
    }
    candidates.sort {
      if $0.overlap != $1.overlap { return $0.overlap > $1.overlap }
      return ($0.first, $0.second) < ($1.first, $1.second)
    }
    var (usedFirst, usedSecond): (Set<Int>, Set<Int>) = ([], [])
    return candidates.filter { pair in
      if usedFirst.contains(pair.first) || usedSecond.contains(pair.second) { return false }
      usedFirst.insert(pair.first)
      usedSecond.insert(pair.second)
      return true
    }
  }
}
