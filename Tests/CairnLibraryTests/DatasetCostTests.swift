import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Cairn

/// Counts the objects that commands read: no count may grow with the dataset.
@Suite("Dataset cost")
struct DatasetCostTests {
  @Test("reads as many objects after a commit of one label with 500 photos as with 50")
  func objects() throws {
    let (few, many) = (try objects(photos: 50), try objects(photos: 500))
    // A photo's neighbors may share its directories or not.
    #expect(abs(few - many) <= 3, "\(few) and \(many)")
    #expect(many < 30)
  }

  private func objects(photos: Int) throws -> Int {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: photos, in: directory)
    #expect(try dataset.count(PhotoQuery("label:elm")) == photos)

    let changed = label(7, "yew", at: photos + 1)
    try dataset.edit("test") { try $0.write([.label(changed)]) }
    _ = try dataset.commit()
    let before = dataset.replica.repository.objectsRead
    #expect(try dataset.find(PhotoQuery("label:yew")) == [changed.photo])
    return dataset.replica.repository.objectsRead - before
  }

  @Test(
    "reads as many objects for the status with 500 photos as with 50, also of all files",
    arguments: [false, true])
  func status(everywhere: Bool) throws {
    let few = try statusObjects(photos: 50, everywhere: everywhere)
    let many = try statusObjects(photos: 500, everywhere: everywhere)
    // A photo's neighbors may share its directories or not.
    #expect(abs(few - many) <= 3, "\(few) and \(many)")
  }

  private func statusObjects(photos: Int, everywhere: Bool) throws -> Int {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: photos, in: directory)
    let changed = label(7, "yew", at: photos + 1)
    try dataset.edit("test") { try $0.write([.label(changed)]) }
    // The index reads everything once.
    #expect(try dataset.count(PhotoQuery("label:elm")) == photos)
    var images = ImageCount()
    try dataset.update(&images)
    let before = dataset.replica.repository.objectsRead
    #expect(try dataset.status(everywhere: everywhere).working.changes.count == 1)
    try dataset.update(&images)
    return dataset.replica.repository.objectsRead - before
  }

  @Test("reads as many objects for show, why and diff with 500 photos as with 50")
  func reading() throws {
    let (few, many) = (try reading(photos: 50), try reading(photos: 500))
    for (few, many) in zip(few, many) {
      // A photo's neighbors may share its directories or not.
      #expect(abs(few - many) <= 3, "\(few) and \(many)")
      #expect(many > 0)
    }
  }

  private func reading(photos: Int) throws -> [Int] {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: photos, in: directory)
    let changed = label(7, "yew", at: photos + 1)
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

  @Test("checks the paths of a clone without documents at no cost when it builds the index")
  func clonedPaths() throws {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: 50, in: directory)
    func cost(_ name: String, isChecked: Bool) throws -> Int {
      let clone = try Dataset.clone(
        dataset.root.string, to: directory.path(name), relativeTo: directory.root, sparse: .none,
        environment: .machine
      ).dataset
      #expect(try clone.replica.hasUncheckedPaths())
      if isChecked { try clone.replica.noteCheckedPaths(areRefused: false) }
      let before = clone.replica.repository.objectsRead
      #expect(try clone.count(PhotoQuery("label:elm")) == 50)
      #expect(try !clone.replica.hasUncheckedPaths())
      return clone.replica.repository.objectsRead - before
    }
    #expect(try cost("b", isChecked: false) == cost("c", isChecked: true))
  }

  @Test("lists the history without reading what commits changed, unless that is counted")
  func history() throws {
    let directory = TemporaryDirectory()
    let (dataset, all) = try dataset(photos: 50, in: directory)
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

  @Test("reads the manifest as often to count the new labels of 20 photos as of 5")
  func labelCounts() throws {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: 20, in: directory)
    // Without the file, the manifest is read from the last commit.
    try FileManager.default.removeItem(atPath: "\(dataset.root)/\(DocumentPath.manifest)")
    func cost(_ photos: Int) throws -> Int {
      let before = dataset.replica.repository.objectsRead
      let counts = try dataset.labelCounts(labeling: (0..<photos).map(photoID), ["yew"])
      #expect(counts.new == photos)
      return dataset.replica.repository.objectsRead - before
    }
    _ = try cost(1)
    let (few, many) = (try cost(5), try cost(20))
    #expect(few == many, "\(few) and \(many)")
  }

  @Test("waits for the whole machine's writes only after a bulk edit", arguments: [6, 20])
  func syncs(photos: Int) throws {
    let directory = TemporaryDirectory()
    let (dataset, _) = try dataset(photos: photos, in: directory)
    let synced = Mutex<[FilePath]>([])
    var environment = Environment.machine
    environment.files = FileSystem { (step, path) throws(FileError) in
      if case .sync = step { synced.withLock { $0.append(path) } }
    }
    let observed = try Dataset(at: dataset.root, environment: environment)
    synced.withLock { $0 = [] }
    try observed.label((0..<photos).map(photoID), ["yew"])
    let all = synced.withLock { $0 }
    #expect(all.contains(observed.root) == (photos > 16))
    let isJournaled = all.contains { $0.lastComponent?.string == "changes" }
    #expect(isJournaled == (photos <= 16))
  }

  // MARK: Documents

  /// Returns a committed dataset of `photos` photos, and its documents.
  private func dataset(
    photos: Int, in directory: TemporaryDirectory
  ) throws -> (Dataset, [Document]) {
    _ = TestIdentity.inUse
    let dataset = try Dataset.create(at: directory.path("a"))
    let all = (0..<photos).flatMap { documents($0) }
    try dataset.edit("test") { try $0.write(all, durable: false) }
    _ = try dataset.commit()
    return (dataset, all)
  }

  private func photoID(_ number: Int) -> PhotoID {
    var random = SeededGenerator(UInt64(number))
    return PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
  }

  /// Returns a stamp `seconds` after a fixed time.
  private func stamp(_ seconds: Int) -> Stamp {
    Stamp(
      milliseconds: 1_795_000_000_000 + 1000 * Int64(seconds), counter: 0,
      replica: ReplicaID(rawValue: 0))
  }

  private func label(_ number: Int, _ name: String, at seconds: Int) -> Label {
    Label(
      photo: photoID(number), classKey: ClassKey(name)!,
      annotator: Annotator(email: "ann@example.org")!, verdict: .present, stamp: stamp(seconds))
  }

  private func documents(_ number: Int) -> [Document] {
    let photo = Photo(
      id: photoID(number), image: ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100),
      pin: nil, source: "a.jpg", stamp: stamp(number))
    let classes = ["elm", "yew"].map {
      Document.class(LabelClass(key: ClassKey($0)!, name: $0, stamp: stamp(number)))
    }
    return [.photo(photo), .label(label(number, "elm", at: number))] + (number == 0 ? classes : [])
  }
}
