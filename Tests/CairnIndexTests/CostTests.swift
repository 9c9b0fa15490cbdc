import CairnDocument
import CairnStore
import CairnSync
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Cairn
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
    let directory = try TemporaryDirectory()
    let count = Mutex(0)
    let index = try DatasetIndex(path: directory.path.appending("index.sqlite").string) { _ in
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

  @Test("reads as many objects after a commit of one label with 500 photos as with 50")
  func objects() throws {
    let (few, many) = (try objects(photos: 50), try objects(photos: 500))
    // A photo's neighbors may share its directories or not.
    #expect(abs(few - many) <= 3, "\(few) and \(many)")
    #expect(many < 30)
  }

  private func objects(photos: Int) throws -> Int {
    let directory = try TemporaryDirectory()
    var scene = Scene(seed: 1)
    let (dataset, _) = try dataset(photos: photos, in: directory, &scene)
    #expect(try dataset.count(PhotoQuery("label:elm")) == photos)

    let changed = label(7, "yew", &scene)
    try dataset.edit("test") { try $0.write([.label(changed)]) }
    _ = try dataset.commit()
    let before = dataset.replica.repository.objectsRead
    #expect(try dataset.find(PhotoQuery("label:yew")) == [changed.photo])
    return dataset.replica.repository.objectsRead - before
  }

  @Test(
    "reads as many objects for show, why and diff with 500 photos as with 50"
  )
  func reading() throws {
    let (few, many) = (try reading(photos: 50), try reading(photos: 500))
    for (few, many) in zip(few, many) {
      // A photo's neighbors may share its directories or not.
      #expect(abs(few - many) <= 3, "\(few) and \(many)")
      #expect(many > 0)
    }
  }

  private func reading(photos: Int) throws -> [Int] {
    let directory = try TemporaryDirectory()
    var scene = Scene(seed: 1)
    let (dataset, _) = try dataset(photos: photos, in: directory, &scene)
    let changed = label(7, "yew", &scene)
    try dataset.edit("test") { try $0.write([.label(changed)]) }
    _ = try dataset.commit()
    _ = try dataset.checkOut(.none)
    func cost(_ body: () throws -> Void) rethrows -> Int {
      let before = dataset.replica.repository.objectsRead
      try body()
      return dataset.replica.repository.objectsRead - before
    }
    return [
      try cost {
        let labels = try dataset.show(changed.photo).labels
        #expect(labels.count == 2)
      },
      try cost {
        let classes = try dataset.why(changed.photo).classes
        #expect(classes.count == 2)
      },
      try cost { _ = try dataset.diff("HEAD~1", "HEAD") },
    ]
  }

  @Test("lists the history without reading what commits changed, unless that is counted")
  func history() throws {
    let directory = try TemporaryDirectory()
    var scene = Scene(seed: 1)
    let (dataset, all) = try dataset(photos: 50, in: directory, &scene)
    func listed(_ isCounting: Bool) throws -> (cost: Int, changed: [[DocumentKind: Int]?]) {
      let before = dataset.replica.repository.objectsRead
      var changed: [[DocumentKind: Int]?] = []
      try dataset.log(countingDocuments: isCounting) {
        changed.append($0.changed)
        return true
      }
      return (dataset.replica.repository.objectsRead - before, changed)
    }
    let plain = try listed(false)
    #expect(plain.changed == [nil, nil] && plain.cost <= 2)
    let counts = Dictionary(grouping: all.compactMap(\.path.kind)) { $0 }.mapValues(\.count)
    #expect(try listed(true).changed.first == counts)
  }

  @Test("runs as many statements to visit the first of 500 photos as of 50")
  func streaming() throws {
    struct Enough: Error {}
    func cost(photos: Int, order: PhotoOrder) throws -> Int {
      let count = Mutex(0)
      let directory = try TemporaryDirectory()
      let index = try DatasetIndex(path: directory.path.appending("index.sqlite").string) { _ in
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
      #expect(throws: Enough.self) {
        try index.read { reader in
          try reader.forEachFound(where: PhotoFilter([PhotoConditions()]), by: order) { _ in
            throw Enough()
          }
        }
      }
      return count.withLock { $0 }
    }
    for order in [PhotoOrder.id, .added] {
      #expect(try cost(photos: 50, order: order) == cost(photos: 500, order: order))
    }
  }

  // MARK: Documents

  /// Returns a committed dataset of `photos` photos, and its documents.
  private func dataset(
    photos: Int, in directory: TemporaryDirectory, _ scene: inout Scene
  ) throws -> (Dataset, [Document]) {
    _ = TestIdentity.inUse
    let dataset = try Dataset.create(at: directory.path.appending("a"))
    let all = (0..<photos).flatMap { documents($0, &scene) }
    try dataset.edit("test") { try $0.write(all, durable: false) }
    _ = try dataset.commit()
    return (dataset, all)
  }

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
      pin: nil, source: "a.jpg", stamp: scene.stamp())
    let classes = ["elm", "yew"].map {
      Document.class(LabelClass(key: ClassKey($0)!, name: $0, stamp: scene.stamp()))
    }
    return [.photo(photo), .label(label(number, "elm", &scene))] + (number == 0 ? classes : [])
  }
}

/// A temporary directory, removed with the object.
private final class TemporaryDirectory {
  let path: FilePath

  init() throws {
    path = FilePath(FileManager.default.temporaryDirectory.path)
      .appending("cairn-index-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(
      atPath: path.string, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }
}
