import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

/// Counts what exchanges with a remote cost.
@Suite("Cost of exchanges")
struct ExchangeCostTests {
  @Test("reads and writes as much for a clone without documents of any dataset")
  func cloneWithoutDocuments() throws {
    func cost(photos: Int) throws -> (read: Int, steps: Int) {
      let devices = try Devices()
      let a = try devices.start("a")
      try a.label(0..<photos, "oak", by: "alice")
      try a.sync()
      let steps = Atomic<Int>(0)
      let clone = try Replica.clone(
        devices.remote.string, to: devices.root.appending("b"), relativeTo: devices.root,
        sparseCone: { _, _ in SparseCone(directories: []) }, command: nil,
        environment: devices.environment { (_, _) throws(FileError) in
          steps.add(1, ordering: .relaxed)
        }
      ).replica
      #expect(try clone.hasUncheckedPaths())
      return (clone.repository.objectsRead, steps.load(ordering: .relaxed))
    }
    let (few, many) = (try cost(photos: 50), try cost(photos: 300))
    #expect(many.read == few.read, "\(few) and \(many)")
    #expect(many.steps <= few.steps + 2, "\(few) and \(many)")
  }

  @Test("reads and writes as much for a sync with nothing new, and one of a label, in any dataset")
  func sync() throws {
    func cost(photos: Int) throws -> (nothing: [Int], label: [Int]) {
      let devices = try Devices()
      let (a, b) = try devices.pair(sparseCone: SparseCone(directories: [])) { a in
        // Otherwise, the commit of the label would search the history for them.
        try a.write { session in
          let oak = LabelClass(key: ClassKey("oak")!, name: "oak", stamp: session.stamp())
          return [.class(oak), .photo(photoDocument(7))]
        }
        try a.label(100..<(100 + photos), "oak", by: "alice")
        try a.label(7, "oak", by: "alice")
      }
      _ = a
      func cost(_ prepare: (Replica) throws -> Void) throws -> [Int] {
        let steps = Atomic<Int>(0)
        let counting = try devices.reopen(b) { (_, _) throws(FileError) in
          steps.add(1, ordering: .relaxed)
        }
        try prepare(counting)
        try counting.sync()
        #expect(try counting.hasUncheckedPaths())
        return [counting.repository.objectsRead, steps.load(ordering: .relaxed)]
      }
      try b.sync()
      return (try cost { _ in }, try cost { try $0.label(7, "oak", by: "bob") })
    }
    let (few, many) = (try cost(photos: 50), try cost(photos: 300))
    for (few, many) in zip(few.nothing + few.label, many.nothing + many.label) {
      // A photo's neighbors may share its directories or not.
      #expect(abs(few - many) <= 4, "\(few) and \(many)")
    }
    #expect(many.nothing[0] <= 40, "\(many)")
  }

  @Test("writes nothing for a sync with nothing new soon after another")
  func syncWithoutWriting() throws {
    let devices = try Devices()
    let (_, b) = try devices.pair(sparseCone: SparseCone(directories: [])) {
      try $0.label(7, "oak", by: "alice")
    }
    try b.sync()
    let written = Mutex<[FilePath]>([])
    let counting = try devices.reopen(b) { (step, path) throws(FileError) in
      switch step {
      case .write, .rename: written.withLock { $0.append(path) }
      default: break
      }
    }
    try counting.sync()
    #expect(written.withLock { $0 } == [])
  }
}
