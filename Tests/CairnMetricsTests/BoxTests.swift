import CairnBase
import CairnMetrics
import Foundation
import TestSupport
import Testing

/// Random boxes of several classes on photos, and a detector that moves, misses and adds boxes.
private struct BoxSample {
  static let classes = 3
  let photos: Int
  /// By photo, then by class.
  private(set) var truth: [[[TrueBox]]] = []
  private(set) var found: [[[DetectionMatches.Detection]]] = []

  init(seed: UInt64) {
    var random = SeededGenerator(seed)
    photos = 1 + random.below(12)
    for _ in 0..<photos {
      var (boxes, detections): ([[TrueBox]], [[DetectionMatches.Detection]]) = ([], [])
      for _ in 0..<Self.classes {
        let own = (0..<random.below(5)).map { _ in
          TrueBox(Self.box(&random), isIgnored: random.below(6) == 0)
        }
        var near: [DetectionMatches.Detection] = []
        for truth in own {
          // Often several detections of one box, with equal confidences.
          for _ in 0..<random.below(3) {
            let shift = Double(random.below(12)) / 64 * truth.box.width
            var box = truth.box
            box.x += shift
            near.append(.init(confidence: Double(random.below(8)) / 7, box: box))
          }
        }
        let crowd = random.below(40) == 0 ? 110 : random.below(3)
        for _ in 0..<crowd {
          near.append(.init(confidence: Double(random.below(8)) / 7, box: Self.box(&random)))
        }
        boxes.append(own)
        detections.append(near)
      }
      truth.append(boxes)
      found.append(detections)
    }
  }

  /// Returns a box whose edges are exact in binary, so that overlaps are equal on both sides.
  private static func box(_ random: inout SeededGenerator) -> NormalizedRect {
    NormalizedRect(
      x: Double(random.below(32)) / 64, y: Double(random.below(32)) / 64,
      width: Double(8 + random.below(24)) / 64, height: Double(8 + random.below(24)) / 64)
  }

  /// The matches of each class.
  var matches: [DetectionMatches] {
    (0..<Self.classes).map { one in
      var matches = DetectionMatches()
      for photo in 0..<photos { matches.add(found[photo][one], truth[photo][one]) }
      return matches
    }
  }

  var question: [String: Any] {
    func row(_ photo: Int, _ one: Int, _ box: NormalizedRect, _ last: Any) -> [Any] {
      [photo, one, box.x * 640, box.y * 640, box.width * 640, box.height * 640, last]
    }
    var (truths, detections): ([[Any]], [[Any]]) = ([], [])
    for photo in 0..<photos {
      for one in 0..<Self.classes {
        truths += truth[photo][one].map { row(photo, one, $0.box, $0.isIgnored) }
        detections += found[photo][one].map { row(photo, one, $0.box, $0.confidence) }
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
    let samples = (UInt64(1)..<31).map { BoxSample(seed: $0) }
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
    #expect(measured > 25)
  }

  @Test("has no average precision without boxes, and 0 if nothing is found")
  func undefined() {
    var matches = DetectionMatches()
    let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    matches.add([.init(confidence: 0.9, box: box)], [])
    #expect(matches.averagePrecision == nil && matches.averagePrecision(at: 0) == nil)
    #expect(matches.recall(at: 0).value == nil && matches.detections == 1)
    matches.add([], [TrueBox(box)])
    #expect(matches.averagePrecision == 0 && matches.recall(at: 0) == Proportion(0, of: 1))
  }

  @Test("takes for true the boxes that more than half of the people drew")
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
