import CairnBase
import CairnDocument
import Foundation
import TestSupport
import Testing

/// A dataset with boxes by a person and by two detectors, written as documents: one finds people's
/// boxes with errors, the other draws at random. On some photos nobody drew anything, and a class is
/// labeled as absent or without a box.
struct BoxScene {
  let box: Sandbox
  private var random: SeededGenerator
  private var count: UInt64 = 0
  private(set) var photos: [PhotoID] = []

  /// The number of steps of the grid that boxes are drawn on, and of confidences; nil for odd
  /// numbers, none of them equal.
  private let steps: Int?

  static let classes = ["bird", "fox", "deer"]

  init(seed: UInt64, steps: Int? = nil, photos count: Int = 40) throws {
    (box, random, self.steps) = (try Sandbox(lfs: false), SeededGenerator(seed), steps)
    try box.cairn("init", "a")
    for name in Self.classes {
      try write(.class(LabelClass(key: ClassKey(name)!, name: name, stamp: stamp())))
    }
    for index in 0..<count {
      let id = PhotoID(digest: random.bytes(32))
      photos.append(id)
      try write(
        .photo(
          Photo(
            id: id, image: ImageFacts(format: .png, width: 333, height: 777, bytes: 100),
            pin: nil, source: "\(index).png", stamp: stamp())))
      try addLabels(to: id, isUnlabeled: index % 8 == 0)
    }
    try box.cairn("commit", "--all", "-m", "boxes", in: "a")
  }

  private mutating func addLabels(to photo: PhotoID, isUnlabeled: Bool) throws {
    for name in Self.classes {
      let truth = isUnlabeled ? [] : (0..<random.below(4)).map { _ in rectangle() }
      for one in truth { try label(photo, name, "human:ann@x", one, isCrowd: random.chance(15)) }
      if truth.isEmpty, !isUnlabeled, random.chance(20) {
        // Present without a box, or absent.
        try label(photo, name, "human:ann@x", nil, random.chance(50) ? .present : .absent)
      }
      for var one in truth where random.chance(80) {
        let shift = steps.map { Double(random.below(3)) / Double($0) }
        one.x = min(one.x + (shift ?? Double(random.below(10)) / 100 * one.width), 1 - one.width)
        try label(photo, name, "model:finder@1", one)
      }
      for _ in 0..<random.below(2) { try label(photo, name, "model:finder@1", rectangle()) }
      for _ in 0..<3 { try label(photo, name, "model:random@1", rectangle()) }
    }
  }

  /// Returns a box with odd edges, so that no overlap is on a threshold, or one on the grid.
  private mutating func rectangle() -> NormalizedRect {
    func part(_ least: Double, _ range: Double) -> Double {
      guard let steps else { return least + range * Double(random.below(999_983)) / 999_983 }
      let count = Int(range * Double(steps))
      return Double(Int(least * Double(steps)) + 1 + random.below(count)) / Double(steps)
    }
    return NormalizedRect(
      x: part(0, 0.5), y: part(0, 0.5), width: part(0.05, 0.4), height: part(0.05, 0.4))
  }

  private mutating func label(
    _ photo: PhotoID, _ name: String, _ annotator: String, _ rectangle: NormalizedRect?,
    _ verdict: Verdict = .present, isCrowd: Bool = false
  ) throws {
    count += 1
    // Ids are not in the order of time.
    let id = RegionID(unchecked: String(format: "%08x", (count &* 2_654_435_761) & 0xFFFF_FFFF))
    var confidence = 1.0
    if annotator.hasPrefix("model:") {
      confidence = Double(random.below(steps == nil ? 90 : 9)) / (steps == nil ? 100 : 10)
      if steps == nil { confidence += Double(count) / 10_000_000 }
    }
    var region = rectangle.flatMap { Region(id: id, box: $0) }
    region?.isCrowd = isCrowd
    let label = Label(
      photo: photo, classKey: ClassKey(name)!, annotator: Annotator(annotator)!, verdict: verdict,
      confidence: confidence,
      region: region, stamp: stamp())
    try write(.label(label))
  }

  private mutating func stamp() -> Stamp {
    count += 1
    return Stamp(
      milliseconds: 1_795_000_000_000 + Int64(count), counter: 0, replica: ReplicaID(rawValue: 7))
  }

  private func write(_ document: Document) throws {
    try box.write(Data(document.canonicalBytes), to: "a/\(document.path.description)")
  }

  /// Returns the figures that pycocotools computes from the documents.
  func oracle() throws -> JSONValue {
    let program = try #require(Programs.clients, Programs.missingClients)
    let script = packageDirectory.appending(path: "Tests/CairnCLITests/Metrics/box_oracle.py").path
    let output = try box.run(program, [script, box.url("a").path])
    try #require(output.status == 0, "\(output.stderr)")
    return try output.json()
  }
}
