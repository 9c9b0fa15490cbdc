import CairnBase
import CairnMetrics
import Foundation
import TestSupport
import Testing

/// Random boxes of several classes on photos, and a detector that moves, misses and adds boxes.
///
/// Boxes are in pixels on a coarse grid, so that overlaps are often equal to each other and to a
/// threshold.
private struct BoxSample {
  static let classes = 3
  static let sizes = [(width: 640, height: 640), (4032, 3024), (1000, 750), (100, 100), (333, 777)]

  struct Box {
    var rect: PixelRect
    var isIgnored = false
    var isCrowd = false
    var confidence = 1.0
  }

  let photos: Int
  let size: (width: Int, height: Int)
  /// The number of steps of the grid across a photo.
  private let steps: Int
  /// By photo, then by class.
  private(set) var truth: [[[Box]]] = []
  private(set) var found: [[[Box]]] = []

  init(seed: UInt64) {
    var random = SeededGenerator(seed)
    photos = 1 + random.below(12)
    size = Self.sizes[random.below(Self.sizes.count)]
    steps = [10, 20, 64, 100][random.below(4)]
    for _ in 0..<photos {
      var (boxes, detections): ([[Box]], [[Box]]) = ([], [])
      for _ in 0..<Self.classes {
        let own = (0..<random.below(5)).map { _ in
          Box(
            rect: rect(&random), isIgnored: random.below(6) == 0, isCrowd: random.below(6) == 0)
        }
        var near: [Box] = []
        for truth in own {
          // Often several detections of one box, with equal confidences.
          for _ in 0..<random.below(3) {
            let (right, down) = (random.below(3), random.below(3))
            let moved = PixelRect(
              x: rounded(truth.rect.x + step(right, size.width)), y: truth.rect.y,
              width: truth.rect.width,
              height: rounded(truth.rect.height + step(down, size.height)))
            near.append(Box(rect: moved, confidence: Double(random.below(8)) / 7))
          }
        }
        let crowd = random.below(40) == 0 ? 110 : random.below(3)
        for _ in 0..<crowd {
          near.append(Box(rect: rect(&random), confidence: Double(random.below(8)) / 7))
        }
        boxes.append(own)
        detections.append(near)
      }
      truth.append(boxes)
      found.append(detections)
    }
  }

  private func rect(_ random: inout SeededGenerator) -> PixelRect {
    func part(_ range: ClosedRange<Int>, _ size: Int) -> Double {
      let least = max(1, range.lowerBound * steps / 64)
      return step(least + random.below(range.count * steps / 64 + 1), size)
    }
    return PixelRect(
      x: part(0...31, size.width), y: part(0...31, size.height), width: part(8...31, size.width),
      height: part(8...31, size.height))
  }

  /// Returns the length of some steps in pixels, with two decimals.
  private func step(_ count: Int, _ size: Int) -> Double {
    rounded(Double(count * size) / Double(steps))
  }

  private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  /// Returns a box as an import has it: edges in fractions, rounded.
  private func normalized(_ box: PixelRect) -> NormalizedRect {
    func fraction(_ value: Double, _ size: Int) -> Double {
      (value / Double(size) * 1e9).rounded() / 1e9
    }
    let (x, y) = (fraction(box.x, size.width), fraction(box.y, size.height))
    return NormalizedRect(
      x: x, y: y, width: fraction(box.x + box.width, size.width) - x,
      height: fraction(box.y + box.height, size.height) - y)
  }

  /// The matches of each class.
  var matches: [DetectionMatches] {
    (0..<Self.classes).map { one in
      var matches = DetectionMatches()
      for photo in 0..<photos {
        matches.add(
          found[photo][one].map { .init(confidence: $0.confidence, box: normalized($0.rect)) },
          truth[photo][one].map {
            TrueBox(normalized($0.rect), isIgnored: $0.isIgnored, isCrowd: $0.isCrowd)
          },
          in: size)
      }
      return matches
    }
  }

  var question: [String: Any] {
    func row(_ photo: Int, _ one: Int, _ box: Box, _ last: Any) -> [Any] {
      [photo, one, box.rect.x, box.rect.y, box.rect.width, box.rect.height, box.isCrowd, last]
    }
    var (truths, detections): ([[Any]], [[Any]]) = ([], [])
    for photo in 0..<photos {
      for one in 0..<Self.classes {
        truths += truth[photo][one].map { row(photo, one, $0, $0.isIgnored) }
        detections += found[photo][one].map { row(photo, one, $0, $0.confidence) }
      }
    }
    return [
      "kind": "coco", "photos": photos, "classes": Self.classes, "truth": truths,
      "found": detections,
    ]
  }
}

@Suite("Boxes")
struct BoxTests {
  @Test(
    "computes average precision at every overlap as pycocotools does",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func coco() throws {
    let samples = (UInt64(1)..<201).map { BoxSample(seed: $0) }
    var measured = 0
    for (sample, answer) in zip(samples, try Oracle.answers(samples.map(\.question))) {
      let answer = try #require(answer as? [String: Any])
      let classes = try #require(answer["classes"] as? [[Any]])
      let recalls = try #require(answer["recall"] as? [Any])
      let matches = sample.matches
      for (one, matches) in matches.enumerated() {
        for overlap in 0..<DetectionMatches.overlapCount {
          let own = matches.averagePrecision(at: overlap)
          #expect(isEqual(own, classes[one][overlap]), "\(own ?? -1), \(classes[one][overlap])")
        }
        #expect(isEqual(matches.recall(at: 0).value, recalls[one]))
      }
      let values = matches.compactMap(\.averagePrecision)
      if values.isEmpty { continue }
      measured += 1
      let halves = matches.compactMap { $0.averagePrecision(at: 0) }
      #expect(isEqual(values.reduce(0, +) / Double(values.count), try #require(answer["map"])))
      #expect(isEqual(halves.reduce(0, +) / Double(halves.count), try #require(answer["map50"])))
    }
    #expect(measured > 180)
  }

  @Test("has no average precision without boxes, and 0 if nothing is found")
  func undefined() {
    var matches = DetectionMatches()
    let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    let size = (width: 8, height: 8)
    matches.add([.init(confidence: 0.9, box: box)], [], in: size)
    #expect(matches.averagePrecision == nil && matches.averagePrecision(at: 0) == nil)
    #expect(matches.recall(at: 0).value == nil && matches.detections == 1)
    matches.add([], [TrueBox(box)], in: size)
    #expect(matches.averagePrecision == 0 && matches.recall(at: 0) == Proportion(0, of: 1))
  }

  @Test("counts detections inside a crowd as neither right nor wrong, however many there are")
  func crowds() {
    var matches = DetectionMatches()
    let box = NormalizedRect(x: 0, y: 0, width: 0.25, height: 0.25)
    let crowd = NormalizedRect(x: 0.25, y: 0.25, width: 0.75, height: 0.75)
    let inside = [0.25, 0.5, 0.75].map { NormalizedRect(x: $0, y: 0.5, width: 0.25, height: 0.25) }
    let found = [(0.9, box)] + inside.map { (0.95, $0) }
    matches.add(
      found.map { .init(confidence: $0.0, box: $0.1) },
      [TrueBox(crowd, isCrowd: true), TrueBox(box)], in: (width: 8, height: 8))
    #expect(matches.averagePrecision == 1 && matches.boxes == 1)
  }

  @Test("treats as true the boxes that more than half of the people drew")
  func consensus() {
    let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    let near = NormalizedRect(x: 0.375, y: 0.25, width: 0.5, height: 0.5)
    let far = NormalizedRect(x: 0, y: 0, width: 0.125, height: 0.125)
    let mean = NormalizedRect(x: 0.3125, y: 0.25, width: 0.5, height: 0.5)
    #expect(TrueBox.consensus(of: [[box, far]]) == [TrueBox(box), TrueBox(far)])
    #expect(
      TrueBox.consensus(of: [[box, far], [near]])
        == [TrueBox(mean), TrueBox(far, isIgnored: true)])
    #expect(TrueBox.consensus(of: [[box, far], [near], []]) == [TrueBox(mean)])
    #expect(TrueBox.consensus(of: []).isEmpty)
  }

  @Test("measures the agreement of two people on boxes, the same both ways")
  func agreement() {
    let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    let half = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.25)
    let far = NormalizedRect(x: 0, y: 0, width: 0.125, height: 0.125)
    var (there, back) = (BoxAgreement(), BoxAgreement())
    #expect(there.agreement == nil && there.overlap == nil)
    for (a, b) in [([box, far], [half]), ([], [far]), ([box], [box])] {
      there.add(a, b)
      back.add(b, a)
    }
    #expect(there.photos == 3 && there.first == 3 && there.second == 3 && there.matched == 2)
    #expect(there.agreement == 2.0 / 3 && there.overlap == 0.75)
    #expect(back.agreement == there.agreement && back.overlap == there.overlap)
    var both = there
    both.add(back)
    #expect(both.photos == 6 && both.matched == 4 && both.agreement == 2.0 / 3)
  }

  @Test("matches each box once, the greatest overlap first")
  func matching() {
    let box = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let near = NormalizedRect(x: 0.0625, y: 0, width: 0.5, height: 0.5)
    let pairs = BoxMatching.pairs([near, box], [box, box])
    #expect(pairs.map(\.first) == [1, 0] && pairs.map(\.second) == [0, 1])
    #expect(pairs.first?.overlap == 1)
    #expect(box.overlap(with: NormalizedRect(x: 0.5, y: 0, width: 0.5, height: 0.5)) == 0)
  }
}
