/// A dataset generated from a seed. Each photo has a document, four labels of one run of a model
/// and one of a person. There are also classes, a pin for every hundred photos, and the run.
struct Generator {
  static let documentsPerPhoto = 6
  /// A class that people label on `rarePhotos` photos, so that a search finds the same number of
  /// photos at any size.
  static let rareClass = "wollemi-pine"
  static let rarePhotos = 20

  let seed: UInt64
  /// The ids of the photos, sorted.
  let photos: [String]
  let pins: [String]
  let run: String

  init(documents: Int, seed: UInt64) {
    self.seed = seed
    let count = max(Generator.rarePhotos, documents / Generator.documentsPerPhoto)
    photos = (0..<count).map { index in
      var numbers = SeededNumbers(seed, index)
      return numbers.hex(64)
    }.sorted()
    var numbers = SeededNumbers(seed ^ 0x70696E)
    pins = (0..<max(1, count / 100)).map { _ in numbers.hex(20) }.sorted()
    run = numbers.hex(20)
  }

  var documentCount: Int {
    Generator.classes.count + photos.count * Generator.documentsPerPhoto + pins.count + 1
  }

  /// Calls `body` with every document, sorted by path, as `cairn export` writes them.
  func forEachDocument(_ body: (CanonicalDocument) throws -> Void) rethrows {
    for key in Generator.classes { try body(classDocument(key)) }
    for index in photos.indices { try labels(at: index).forEach(body) }
    for index in photos.indices { try body(photo(at: index)) }
    for (index, pin) in pins.enumerated() { try body(pinDocument(pin, at: index)) }
    try body(runDocument)
  }

  /// Calls `body` with people's labels that have a changed confidence, for `count` photos spread
  /// over the dataset. The two sides (0 and 1) have no photo in common.
  func forEachChange(_ count: Int, side: Int, _ body: (CanonicalDocument) throws -> Void) rethrows {
    for change in 0..<min(count, photos.count / 2) {
      let index = (2 * change + side) * photos.count / (2 * min(count, photos.count / 2))
      try body(personLabel(at: index, isChanged: true))
    }
  }
}
