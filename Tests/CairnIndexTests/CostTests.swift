import CairnDocument
import CairnMerge
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnIndex

/// Counts what the index costs: no cost may grow with the dataset.
@Suite("Index cost")
struct CostTests {
  @Test("runs as many statements for an update or a search with 500 photos as with 50")
  func statements() throws {
    let (few, many) = (try statements(photos: 50), try statements(photos: 500))
    #expect(few == many)
    #expect(few.update <= 12, "\(few)")
    #expect(few.search <= 16, "\(few)")
  }

  private struct Cost: Equatable {
    var update = 0
    var resolve = 0
    var search = 0
  }

  private func statements(photos: Int) throws -> Cost {
    let directory = TemporaryDirectory()
    let count = Mutex(0)
    let index = try DatasetIndex(path: directory.path("index.sqlite").string) { _ in
      count.withLock { $0 += 1 }
    }
    func cost(_ body: () throws -> Void) rethrows -> Int {
      count.withLock { $0 = 0 }
      try body()
      return count.withLock { $0 }
    }
    var scene = Scene(seed: 1)
    try index.write { writer in
      try writer.deferIndexes()
      for number in 0..<photos {
        for document in documents(number, &scene) { try writer.put(document) }
      }
      try writer.resolve(scene.rules, fingerprint: "")
    }
    var measured = Cost()
    var label = label(7, "elm", &scene)
    label.verdict = .absent
    measured.update = try cost { try index.write { try $0.put(label) } }
    measured.resolve = try cost {
      try index.write { try $0.resolve(scene.rules, fingerprint: "") }
    }
    measured.search = try cost {
      var (conditions, claim) = (PhotoConditions(), Assertion())
      (claim.classKey, claim.states) = (ClassKey("elm"), [.confirmed])
      conditions.assertions = [claim]
      _ = try index.read { try $0.photos(where: PhotoFilter([conditions]), limit: 5) }
    }
    return measured
  }

  @Test("runs as many statements to visit the first of 500 photos as of 50")
  func streaming() throws {
    struct Enough: Error {}
    func cost(photos: Int, order: PhotoOrder) throws -> Int {
      try statements(photos: photos) { reader in
        #expect(throws: Enough.self) {
          try reader.forEachFound(where: PhotoFilter([PhotoConditions()]), by: order) { _ in
            throw Enough()
          }
        }
      }
    }
    for order in [PhotoOrder.id, .added] {
      #expect(try cost(photos: 50, order: order) == cost(photos: 500, order: order))
    }
  }

  @Test("runs at most three statements for each photo of a list")
  func listing() throws {
    func cost(photos: Int) throws -> Int {
      try statements(photos: photos) { reader in
        let found = try reader.found(reader.photoKeys(where: PhotoFilter([PhotoConditions()])))
        #expect(found.count == photos)
        #expect(found.allSatisfy { $0.resolutions.map(\.classKey) == [ClassKey("elm")] })
      }
    }
    // One for its document, one of the table of locations, and one for its resolutions.
    #expect(try cost(photos: 500) - cost(photos: 50) <= 3 * 450)
  }

  @Test("runs as many statements to find photos by file name with 500 photos as with 50")
  func fileNames() throws {
    func cost(photos: Int) throws -> Int {
      try statements(photos: photos) { reader in
        for number in 1000..<1050 {
          var found: [String] = []
          try reader.forEachPhoto(named: "img_\(number).JPG") { photo in
            found.append(photo.source.value)
            return true
          }
          #expect(found == ["IMG_\(number).jpg"])
        }
      }
    }
    let (few, many) = (try cost(photos: 50), try cost(photos: 500))
    #expect(many == few && few <= 60, "\(few) and \(many)")
  }

  @Test("runs as many statements for the points of the map with 500 photos as with 50")
  func points() throws {
    func cost(photos: Int) throws -> Int {
      try statements(photos: photos) { _ = try $0.photoPoints() }
    }
    #expect(try cost(photos: 500) == cost(photos: 50))
  }

  @Test("runs as many statements per document for a new index of 2000 photos as of 1000")
  func building() throws {
    func cost(photos: Int) throws -> Int {
      let count = Mutex(0)
      let directory = TemporaryDirectory()
      let index = try DatasetIndex(path: directory.path("index.sqlite").string) { _ in
        count.withLock { $0 += 1 }
      }
      var scene = Scene(seed: 1)
      let all = (0..<photos).flatMap { documents($0, &scene) }
      count.withLock { $0 = 0 }
      try index.write { writer in
        try writer.deferIndexes()
        for document in all { try writer.put(document) }
        try writer.resolve(scene.rules, fingerprint: "")
      }
      return count.withLock { $0 }
    }
    let (few, many) = (try cost(photos: 1000), try cost(photos: 2000))
    // A full-text table writes its pages, and merges them, by their size.
    #expect(Double(many) < 2.2 * Double(few), "\(few) and \(many)")
  }

  /// Returns the number of statements that a read of an index with `photos` photos runs.
  private func statements(
    photos: Int, of read: (IndexReader) throws -> Void
  ) throws -> Int {
    let count = Mutex(0)
    let directory = TemporaryDirectory()
    let index = try DatasetIndex(path: directory.path("index.sqlite").string) { _ in
      count.withLock { $0 += 1 }
    }
    var scene = Scene(seed: 1)
    try index.write { writer in
      for number in 0..<photos {
        for document in documents(number, &scene) { try writer.put(document) }
      }
      try writer.resolve(scene.rules, fingerprint: "")
    }
    count.withLock { $0 = 0 }
    try index.read(read)
    return count.withLock { $0 }
  }

  // MARK: Documents

  private func photoID(_ number: Int) -> PhotoID {
    var random = SeededGenerator(UInt64(number))
    return PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
  }

  private func label(_ number: Int, _ name: String, _ scene: inout Scene) -> Label {
    Label(
      photo: photoID(number), classKey: ClassKey(name)!, annotator: Scene.people[0],
      verdict: .present, stamp: scene.stamp())
  }

  private func documents(_ number: Int, _ scene: inout Scene) -> [Document] {
    let photo = Photo(
      id: photoID(number), image: ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100),
      pin: nil, source: "IMG_\(1000 + number).jpg", stamp: scene.stamp())
    let classes = ["elm", "yew"].map {
      Document.class(LabelClass(key: ClassKey($0)!, name: $0, stamp: scene.stamp()))
    }
    return [.photo(photo), .label(label(number, "elm", &scene))] + (number == 0 ? classes : [])
  }
}
