import CairnDocument
import Foundation
import TestSupport
import Testing

/// A dataset with random labels, written as documents. It has three people, one of them with two
/// addresses, and two models, one of them with two versions; classes with an alias and an exclusive
/// set; regions, withdrawn and repeated labels, and removed photos.
struct MetricsScene {
  let box: Sandbox
  private(set) var random: XorshiftGenerator
  private var time: Int64 = 1_795_000_000_000
  private(set) var labels: [Label] = []
  private(set) var photos: [PhotoID] = []

  static let people = ["ann@x", "bob@x", "cy@x", "annie@y"]
  static let free = ["oak", "elm", "elmtree"]
  static let breeds = ["beagle", "poodle", "husky"]

  init(seed: UInt64, photos count: Int = 60, in dataset: String = "a") throws {
    (box, random) = (try Sandbox(lfs: false), XorshiftGenerator(seed))
    try box.cairn("init", dataset)
    for name in Self.free + Self.breeds {
      var labelClass = LabelClass(key: ClassKey(name)!, name: name, stamp: stamp())
      if name == "elmtree" { labelClass.aliasOf = Register(ClassKey("elm"), stamp()) }
      if Self.breeds.contains(name) { labelClass.set = Register(ClassKey("breed"), stamp()) }
      try write(.class(labelClass), to: dataset)
    }
    for _ in 0..<count {
      let id = PhotoID(digest: (0..<32).map { _ in UInt8(below(256)) })
      photos.append(id)
      addLabels(to: id)
      var photo = Photo(
        id: id, image: ImageFacts(format: .png, width: 8, height: 8, bytes: 100), pin: nil,
        source: "\(photos.count).png", stamp: stamp())
      if below(8) == 0 { photo.removed = Register(true, stamp()) }
      try write(.photo(photo), to: dataset)
    }
    for label in labels { try write(.label(label), to: dataset) }
    try box.write("Ann <ann@x> <annie@y>\n", to: "\(dataset)/.mailmap")
    try box.git("add", ".mailmap", in: dataset)
    try box.cairn("commit", "--all", "-m", "scene", in: dataset)
    try box.git("commit", "-q", "-m", "one person", "--", ".mailmap", in: dataset)
  }

  // MARK: Labels

  private mutating func addLabels(to photo: PhotoID) {
    let (hasOak, hasElm, breed) = (below(2) == 0, below(4) == 0, below(3))
    for (index, person) in Self.people.enumerated() {
      let annotator = Annotator(email: person)!
      // The people err at different rates.
      func isRight() -> Bool { below(10) < 9 - 2 * index }
      if below(3) > 0 { add(photo, "oak", annotator, hasOak == isRight()) }
      if below(3) > 0 {
        add(photo, below(2) == 0 ? "elm" : "elmtree", annotator, hasElm == isRight())
      }
      if below(6) == 0 {
        let region = Region(id: RegionID("0000000\(index)")!, x: 0, y: 0, width: 0.5, height: 0.5)
        add(photo, "elm", annotator, below(4) > 0, region: region)
      }
      if below(4) > 0 {
        add(photo, Self.breeds[isRight() ? breed : below(3)], annotator, true)
        // Sometimes a person changes their mind.
        if below(5) == 0 { add(photo, Self.breeds[below(3)], annotator, true) }
      }
      if below(8) == 0 {
        let own = labels.indices.filter {
          labels[$0].photo == photo && labels[$0].annotator == annotator
        }
        if let index = own.randomElement(using: &random) {
          labels[index].verdict = .withdrawn
          labels[index].stamp = stamp()
        }
      }
    }
    for model in ["net@1", "net@2", "vit@1"] where below(4) > 0 {
      let annotator = Annotator(model: model)!
      for name in ["oak", "elm"] where below(3) > 0 {
        add(
          photo, name, annotator, below(5) > 0, confidence: Double(below(101)) / 100)
      }
      if model == "vit@1" { continue }
      for name in Self.breeds where below(2) == 0 {
        // No two classes have the same confidence.
        let confidence = Double(below(30) * 3 + Self.breeds.firstIndex(of: name)!) / 100
        add(photo, name, annotator, true, confidence: confidence)
      }
    }
  }

  private mutating func add(
    _ photo: PhotoID, _ name: String, _ annotator: Annotator, _ isPresent: Bool,
    confidence: Double = 1, region: Region? = nil
  ) {
    let label = Label(
      photo: photo, classKey: ClassKey(name)!, annotator: annotator,
      verdict: isPresent ? .present : .absent, confidence: confidence, region: region,
      stamp: stamp())
    labels.removeAll { $0.photo == photo && $0.name == label.name }
    labels.append(label)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func stamp() -> Stamp {
    time += 1000
    return Stamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: 7))
  }

  private func write(_ document: Document, to dataset: String) throws {
    try box.write(
      Data(document.canonicalBytes), to: "\(dataset)/\(document.path.description)")
  }

  // MARK: The oracle

  /// Returns the metrics of a dataset, computed by scikit-learn, statsmodels and krippendorff.
  func oracle(_ dataset: String = "a") throws -> JSONValue {
    let program = try #require(Programs.clients, Programs.missingClients)
    let script = packageDirectory.appending(path: "Tests/CairnCLITests/Metrics/metrics_oracle.py")
      .path
    let output = try box.run(program, [script, box.url(dataset).path])
    try #require(output.status == 0, "\(output.stderr)")
    return try output.json()
  }
}

/// Returns whether two numbers differ by at most 1e-9; null equals null.
func isEqual(_ a: JSONValue, _ b: JSONValue) -> Bool {
  if case .number(let a) = a, case .number(let b) = b { return abs(a - b) <= 1e-9 }
  return a == b
}
