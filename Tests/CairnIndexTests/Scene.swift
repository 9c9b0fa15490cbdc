import CairnBase
import CairnDocument
import CairnIndex
import CairnMerge
import TestSupport

/// A small dataset that changes at random. It has few names, so that all combinations occur.
struct Scene {
  var random: SeededGenerator
  private(set) var documents: [DocumentPath: Document] = [:]
  private(set) var manifest: Manifest
  private(set) var mailmap = ""
  private var time: Int64 = 1_795_000_000_000

  // Two ids begin with the same bytes, as somebody could arrange on purpose.
  static let photos = (0..<10).map { seed in
    PhotoID(digest: (0..<32).map { $0 < 8 ? UInt8(seed < 2 ? 7 : seed) : UInt8(seed) })
  }
  static let classes = ["oak", "elm", "yew", "ash", "fir"].map { ClassKey($0)! }
  static let people = ["ann@x", "bob@x", "bob@y", "cy@x"].map { Annotator(email: $0)! }
  static let models = ["net@1", "net@2", "vit@1"].map { Annotator(model: $0)! }
  static let pins = ["01234567890123456789", "12345678901234567890", "23456789012345678901"]
    .map { PinID($0)! }
  static let runs = ["aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"].map { RunID($0)! }

  init(seed: UInt64) {
    random = SeededGenerator(seed)
    manifest = Manifest(
      id: DatasetID("00000000000000000000")!, name: "test",
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
  }

  /// Returns a stamp, often with almost the same time as the last one.
  mutating func stamp() -> Stamp {
    if random.chance(70) { time += 86_400_000 / 4 }
    return Stamp(
      milliseconds: time - Int64(random.below(3)), counter: UInt16(random.below(2)),
      replica: ReplicaID(rawValue: UInt32(random.below(3))))
  }

  var rules: ResolutionRules {
    ResolutionRules(
      manifest,
      classes: documents.values.compactMap { if case .class(let it) = $0 { it } else { nil } },
      withdrawnRuns: Set(
        documents.values.compactMap { document in
          guard case .run(let run) = document, run.withdrawn.value else { return nil }
          return run.id
        }), mailmap: mailmap)
  }

  var fingerprint: String {
    "\(manifest.people.value) \(manifest.threshold.value.value) \(mailmap)"
  }

  func labels(of photo: PhotoID) -> [Label] {
    documents.values.compactMap { document in
      guard case .label(let label) = document, label.photo == photo else { return nil }
      return label
    }.sorted { $0.name.description < $1.name.description }
  }

  func pin(of photo: Photo) -> Pin? {
    guard let id = photo.pin.value, case .pin(let pin) = documents[.pin(id)] else { return nil }
    return pin
  }

  /// Writes the current versions of documents, or removes those that no longer exist.
  func write(_ paths: [DocumentPath], to writer: IndexWriter) throws {
    for path in paths {
      if let document = documents[path] {
        try writer.put(document)
      } else {
        try writer.remove(path)
      }
    }
  }

  // MARK: Changes

  /// Makes changes; returns the paths of the changed documents.
  mutating func changes(_ count: Int) -> [DocumentPath] {
    var paths: [DocumentPath] = []
    for _ in 0..<count { if let path = change() { paths.append(path) } }
    return paths
  }

  /// Makes a change; returns the path of the changed document, or nil if a rule changed.
  mutating func change() -> DocumentPath? {
    switch random.below(100) {
    case 0..<12: return remove()
    case 12..<14:
      manifest.people = Register(random.pick(PeoplePolicy.allCases), stamp())
      return nil
    case 14..<16:
      manifest.threshold = Register(Fraction(random.pick([0.3, 0.5, 0.8]))!, stamp())
      return nil
    case 16..<18:
      mailmap = random.pick(["", "Bob <bob@x> <bob@y>\n", "Cy <cy@x> <ann@x>\n"])
      return nil
    case 18..<24: return put(.class(labelClass()))
    case 24..<28: return put(.run(run()))
    case 28..<34: return put(.pin(pin()))
    case 34..<50: return put(.photo(photo()))
    default: return put(.label(label()))
    }
  }

  private mutating func put(_ document: Document) -> DocumentPath {
    documents[document.path] = document
    return document.path
  }

  private mutating func remove() -> DocumentPath? {
    let paths = documents.keys.sorted { $0.description < $1.description }
    guard !paths.isEmpty else { return nil }
    let path = random.pick(paths)
    documents[path] = nil
    return path
  }

  private mutating func label() -> Label {
    let annotator = random.pick(random.chance(50) ? Scene.people : Scene.models)
    let region =
      random.chance(20)
      ? Region(
        id: RegionID(random.pick(["00000000", "ffffffff"]))!, x: 0, y: 0, width: 1, height: 1)
      : nil
    var label = Label(
      photo: random.pick(Scene.photos), classKey: random.pick(Scene.classes), annotator: annotator,
      verdict: random.pick([.present, .present, .present, .absent, .withdrawn]),
      confidence: annotator.isHuman ? 1 : random.pick([0.2, 0.4, 0.6, 0.85, 1]),
      region: region, run: annotator.isHuman || random.chance(50) ? nil : random.pick(Scene.runs),
      stamp: stamp())
    if random.chance(20) { label.text = random.pick(["an old tree", "Fir, na\u{EF}vely drawn"]) }
    if random.chance(20) { label.source = "xmp:dc:subject" }
    return label
  }

  private mutating func photo() -> Photo {
    var photo = Photo(
      id: random.pick(Scene.photos),
      image: facts(),
      pin: random.chance(70) ? random.pick(Scene.pins) : nil,
      source: random.pick(["a.jpg", "B.jpg"]), stamp: stamp())
    if random.chance(50) { photo.title = Register(random.pick(["Old oak", "élan"]), stamp()) }
    if random.chance(20) { photo.removed = Register(true, stamp()) }
    if random.chance(20) { photo.caption = Register("a caf\u{E9} by an oak", stamp()) }
    if random.chance(50) { photo.credit = Register(credit(), stamp()) }
    return photo
  }

  private mutating func facts() -> ImageFacts {
    var facts = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
    if random.chance(60) {
      facts.taken = CaptureTime(
        random.pick(["2024-04-30T23:59:60", "2024-05-01T00:00:00.5+09:00", "1969-12-31T23:00:00"]))
    }
    if random.chance(50) { facts.camera = random.pick(["Canon EOS 5D", "NIKON Z 6"]) }
    if random.chance(50) { facts.location = CaptureLocation(coordinate()) }
    if random.chance(30) {
      facts.keywords = [random.pick(["old mill", "Gärten", "York"]), "summer"]
    }
    if random.chance(20) {
      let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
      let name = random.chance(50) ? "Ann Elms" : nil
      facts.regions = ImageRegion(box, name: name, type: "Face").map { [$0] } ?? []
    }
    return facts
  }

  private mutating func credit() -> Credit? {
    if random.chance(20) { return nil }
    var credit = Credit()
    (credit.author, credit.license) = (random.pick(["Ansel Adams", "Zoë"]), "CC BY-SA 4.0")
    (credit.service, credit.title) = (random.pick(["commons", "flickr"]), "Elms of York")
    if random.chance(60) {
      var location = ReportedLocation(coordinate())
      location.isObscured = random.chance(40)
      credit.location = location
    }
    if random.chance(60) {
      credit.taken = ReportedTime(
        random.pick(["2024-05-01T00:00:00Z", "2024-05-01", "2024-05", "2024", "1970~"]))
    }
    return credit
  }

  private mutating func coordinate() -> Coordinate {
    Coordinate(
      latitude: random.pick([0, 0.005, 89.999, -45]),
      longitude: random.pick([0, 0.005, 180, -180, 179.99]))!
  }

  private mutating func pin() -> Pin {
    var pin = Pin(
      id: random.pick(Scene.pins),
      at: coordinate(), name: random.pick(["Mill", "Old mill"]), stamp: stamp())
    if random.chance(20) { pin.removed = Register(true, stamp()) }
    return pin
  }

  private mutating func run() -> Run {
    var run = Run(
      id: random.pick(Scene.runs), annotator: random.pick(Scene.models),
      by: random.pick(Scene.people), stamp: stamp())
    run.withdrawn = Register(random.chance(50), stamp())
    return run
  }

  private mutating func labelClass() -> LabelClass {
    var labelClass = LabelClass(
      key: random.pick(Scene.classes), name: random.pick(["Oak", "Elm tree"]), stamp: stamp())
    if random.chance(40) { labelClass.aliasOf = Register(random.pick(Scene.classes), stamp()) }
    if random.chance(40) { labelClass.set = Register(ClassKey("genus")!, stamp()) }
    return labelClass
  }
}
