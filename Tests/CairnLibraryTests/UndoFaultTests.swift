import CairnDocument
import CairnFiles
import CairnStore
import CairnSync
import Synchronization
import Testing

@testable import Cairn

@Suite("Undo while files cannot be read")
struct UndoFaultTests {
  /// A dataset where one read fails.
  private struct FailingReads {
    let dataset: Dataset
    private let state: State

    private final class State: Sendable {
      let left = Mutex(Int.max)
      let failed = Mutex<String?>(nil)
    }

    /// - Parameters:
    ///   - number: The number of the read that fails, from 0.
    ///   - part: Only reads of paths with it count.
    init(_ number: Int, of part: String = "", in scene: ReviewScene) throws {
      let state = State()
      var environment = Environment.machine
      environment.files.readFault = { path throws(FileError) in
        guard path.string.contains(part) else { return }
        let isNow = state.left.withLock { left in
          defer { left -= 1 }
          return left == 0
        }
        if isNow {
          state.failed.withLock { $0 = "read \(number): \(path)" }
          throw FileError("read", path, .ioError)
        }
      }
      dataset = try Dataset(at: scene.dataset.root, environment: environment)
      state.left.withLock { $0 = number }
      self.state = state
    }

    /// The read that failed; nil if there were too few.
    var failed: String? { state.failed.withLock { $0 } }
  }

  @Test("undoes everything when it is repeated after any one read failed")
  func repeats() throws {
    var (number, hasFailed) = (0, true)
    while hasFailed {
      let scene = try ReviewScene()
      let photo = scene.photos[0]
      let key = try scene.dataset.label([photo], ["fir"])[0].label.classKey
      _ = try scene.dataset.commit()
      let operation = try scene.dataset.operation().number
      let reads = try FailingReads(number, in: scene)
      func expectUndone() throws {
        let labels = try scene.dataset.labels(of: photo)
        #expect(labels.allSatisfy { $0.verdict == .withdrawn }, "\(reads.failed ?? "")")
        let document = try scene.dataset.replica.document(at: .class(key))
        guard case .class(let labelClass)? = document else { return }
        #expect(labelClass.removed.value, "\(reads.failed ?? "")")
      }
      if let report = try? reads.dataset.undo(operation), report.kept.isEmpty {
        try expectUndone()
      }
      hasFailed = reads.failed != nil
      do {
        try scene.dataset.undo(operation)
      } catch {
        // It was undone already.
        #expect(error.kind == .invalidInput, "\(reads.failed ?? ""): \(error)")
      }
      try expectUndone()
      number += 1
    }
    #expect(number > 20)
  }

  @Test("does not remove a photo that a person has labeled, if the label cannot be read")
  func keepsLabeled() throws {
    var (number, hasFailed) = (0, true)
    while hasFailed {
      let scene = try ReviewScene()
      let adding = try scene.dataset.operation().number
      try scene.label(0, "oak", .present, by: "bob")
      let reads = try FailingReads(number, of: "/labels/", in: scene)
      _ = try? reads.dataset.undo(adding)
      hasFailed = reads.failed != nil
      let photo = try #require(try scene.dataset.photoIfPresent(scene.photos[0]))
      #expect(!photo.removed.value, "\(reads.failed ?? "")")
      number += 1
    }
    #expect(number > 1)
  }
}
