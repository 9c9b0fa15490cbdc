package import CairnBase

/// A box that people drew, as the truth for a model.
package struct TrueBox: Equatable, Sendable {
  package let box: NormalizedRect
  /// Whether people are divided about it, or it is a crowd: a model is neither right nor wrong to
  /// find it.
  package let isIgnored: Bool
  /// Whether it holds a group of objects that are not drawn one by one: any number of detections may
  /// find it.
  package let isCrowd: Bool

  package init(_ box: NormalizedRect, isIgnored: Bool = false, isCrowd: Bool = false) {
    (self.box, self.isIgnored, self.isCrowd) = (box, isIgnored || isCrowd, isCrowd)
  }
}

extension TrueBox {
  /// Returns the boxes of one class on a photo that more than half of the people drew, and as
  /// ignored the boxes that exactly half drew.
  ///
  /// Boxes of several people that match (``BoxMatching``) are one box, with the mean of their edges;
  /// one person's boxes are unchanged.
  ///
  /// - Parameter people: Each person's boxes, in a fixed order of people; empty for a person who
  ///   says that the class is absent.
  package static func consensus(of people: [[NormalizedRect]]) -> [TrueBox] {
    var groups: [[NormalizedRect]] = []
    for boxes in people {
      let known = groups.map { mean($0) }
      var rest = Set(boxes.indices)
      for pair in BoxMatching.pairs(known, boxes) {
        groups[pair.first].append(boxes[pair.second])
        rest.remove(pair.second)
      }
      for index in rest.sorted() { groups.append([boxes[index]]) }
    }
    return groups.compactMap { group in
      if 2 * group.count < people.count { return nil }
      return TrueBox(mean(group), isIgnored: 2 * group.count == people.count)
    }
  }

  private static func mean(_ boxes: [NormalizedRect]) -> NormalizedRect {
    if boxes.count == 1 { return boxes[0] }
    func mean(_ edge: KeyPath<NormalizedRect, Double>) -> Double {
      boxes.reduce(0) { $0 + $1[keyPath: edge] } / Double(boxes.count)
    }
    return NormalizedRect(
      x: mean(\.x), y: mean(\.y), width: mean(\.width), height: mean(\.height))
  }
}
