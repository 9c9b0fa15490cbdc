package import CairnBase

/// A model's boxes of one class, matched to the true boxes photo by photo, for the average
/// precision at ten overlaps.
///
/// On each photo, the detections in order of their confidence each take the free true box with which
/// they overlap most, if the overlap reaches the threshold. A detection without one is wrong; a true
/// box without one is missed. A crowd is never taken: each detection of which enough is inside it is
/// neither right nor wrong. Only the 100 detections with the highest confidence on a photo count.
///
/// Boxes are compared in pixels, as they are exported to COCO: on a grid, overlaps are often equal
/// to a threshold or to each other, and rounding decides.
///
/// Source: COCO detection evaluation, “Metrics” (cocodataset.org/#detection-eval): thresholds from
/// 0.5 to 0.95 in steps of 0.05, precision interpolated at 101 recalls. The results equal those of
/// pycocotools for boxes, `area=all`, `maxDets=100`.
package struct DetectionMatches: Equatable, Sendable {
  /// A box that a model found.
  package struct Detection: Equatable, Sendable {
    package let confidence: Double
    package let box: NormalizedRect

    package init(confidence: Double, box: NormalizedRect) {
      (self.confidence, self.box) = (confidence, box)
    }
  }

  /// The number of overlaps.
  package static let overlapCount = 10
  /// The maximum number of detections of one class on one photo.
  package static let detectionLimit = 100

  /// The overlaps (IoU) from which a detection is right: 0.5, 0.55 … 0.95.
  ///
  /// Computed as NumPy's `linspace` does, so that an overlap on the edge counts alike.
  package static func overlap(_ index: Int) -> Double {
    index == overlapCount - 1 ? 0.95 : 0.5 + Double(index) * ((0.95 - 0.5) / 9)
  }

  private struct Match: Equatable {
    let confidence: Double
    /// One bit for each overlap: whether a true box was found.
    var matched: UInt16 = 0
    /// One bit for each overlap: whether that box is ignored.
    var ignored: UInt16 = 0
  }

  private var matches: [Match] = []
  /// The number of true boxes, without ignored ones.
  package private(set) var boxes = 0

  package init() {}

  /// The number of detections.
  package var detections: Int { matches.count }

  /// Adds one photo. Photos must be added in a fixed order: of equal confidences, the first counts
  /// first; of two true boxes with which a detection overlaps equally, the last is taken.
  ///
  /// - Parameter size: The size of the upright photo in pixels.
  package mutating func add(
    _ detections: [Detection], _ truth: [TrueBox], in size: (width: Int, height: Int)
  ) {
    boxes += truth.count { !$0.isIgnored }
    let order = detections.indices.sorted {
      let (a, b) = (detections[$0].confidence, detections[$1].confidence)
      return a == b ? $0 < $1 : a > b
    }.prefix(DetectionMatches.detectionLimit)
    // Ignored boxes come last.
    let truth = truth.filter { !$0.isIgnored } + truth.filter(\.isIgnored)
    func pixels(_ box: NormalizedRect) -> PixelRect {
      box.pixels(width: size.width, height: size.height)
    }
    let trueBoxes = truth.map { pixels($0.box) }
    let overlaps = order.map { index in
      let box = pixels(detections[index].box)
      return zip(truth, trueBoxes).map { one, other in
        one.isCrowd ? box.share(inside: other) : box.overlap(with: other)
      }
    }
    var found = order.map { Match(confidence: detections[$0].confidence) }
    for threshold in 0..<DetectionMatches.overlapCount {
      var taken = [Bool](repeating: false, count: truth.count)
      for index in found.indices {
        let least = DetectionMatches.overlap(threshold)
        guard let box = DetectionMatches.best(overlaps[index], truth, taken, least) else {
          continue
        }
        taken[box] = !truth[box].isCrowd
        found[index].matched |= 1 << UInt16(threshold)
        if truth[box].isIgnored { found[index].ignored |= 1 << UInt16(threshold) }
      }
    }
    matches += found
  }

  /// Returns the free true box with the greatest overlap, the last of equal ones; an ignored box
  /// only if no other reaches the threshold.
  private static func best(
    _ overlaps: [Double], _ truth: [TrueBox], _ taken: [Bool], _ least: Double
  ) -> Int? {
    var (best, greatest): (Int?, Double) = (nil, least)
    for (index, overlap) in overlaps.enumerated() where !taken[index] {
      if let best, !truth[best].isIgnored, truth[index].isIgnored { break }
      if overlap < greatest { continue }
      (best, greatest) = (index, overlap)
    }
    return best
  }

  /// Returns the average precision at the overlap with an index; nil without true boxes.
  package func averagePrecision(at index: Int) -> Double? {
    if boxes == 0 { return nil }
    let curve = interpolated(at: index)
    return curve.reduce(0, +) / Double(curve.count)
  }

  /// The mean of the average precision at all overlaps; nil without true boxes.
  package var averagePrecision: Double? {
    if boxes == 0 { return nil }
    let sum = (0..<DetectionMatches.overlapCount).reduce(0.0) { sum, index in
      sum + (averagePrecision(at: index) ?? 0)
    }
    return sum / Double(DetectionMatches.overlapCount)
  }

  /// Returns the share of true boxes that are found at the overlap with an index, at any confidence.
  package func recall(at index: Int) -> Proportion {
    let bit = UInt16(1) << UInt16(index)
    return Proportion(matches.count { $0.matched & ~$0.ignored & bit != 0 }, of: boxes)
  }

  /// The number of recalls at which precision is interpolated.
  private static let recallCount = 101

  /// Returns the greatest precision at each recall of 0, 0.01 … 1 or a greater recall.
  private func interpolated(at index: Int) -> [Double] {
    let bit = UInt16(1) << UInt16(index)
    let sorted = matches.enumerated().sorted {
      let (a, b) = ($0.element.confidence, $1.element.confidence)
      return a == b ? $0.offset < $1.offset : a > b
    }.map(\.element)
    var (hits, wrong) = (0, 0)
    var (recalls, precisions): ([Double], [Double]) = ([], [])
    for match in sorted where match.ignored & bit == 0 {
      if match.matched & bit != 0 { hits += 1 } else { wrong += 1 }
      recalls.append(Double(hits) / Double(boxes))
      precisions.append(Double(hits) / Double(hits + wrong))
    }
    for position in precisions.indices.dropLast().reversed() {
      precisions[position] = max(precisions[position], precisions[position + 1])
    }
    var (curve, position): ([Double], Int) = ([], 0)
    for step in 0..<DetectionMatches.recallCount {
      let recall = step == DetectionMatches.recallCount - 1 ? 1 : Double(step) * 0.01
      while position < recalls.count, recalls[position] < recall { position += 1 }
      curve.append(position < precisions.count ? precisions[position] : 0)
    }
    return curve
  }
}
