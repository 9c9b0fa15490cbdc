import CairnDocument
import CairnFiles
import CairnStore
import CairnSync
import Synchronization
import Testing

@testable import Cairn

@Suite("Undo while files cannot be read")
struct UndoFaultTests {
  @Test("undoes everything when it is repeated after any one read failed")
  func repeats() throws {
    var (number, hasFailed) = (0, true)
    while hasFailed {
      let read = number
      let scene = try ReviewScene()
      let photo = scene.photos[0]
      let key = try scene.dataset.label([photo], ["fir"])[0].label.classKey
      _ = try scene.dataset.commit()
      let operation = try scene.dataset.operation().number

      let left = Mutex(Int.max)
      let failed = Mutex("")
      var environment = Environment.machine
      environment.files.readFault = { path throws(FileError) in
        let isNow = left.withLock { left in
          if left == .max { return false }
          defer { left -= 1 }
          return left == 0
        }
        if isNow {
          failed.withLock { $0 = "read \(read): \(path)" }
          throw FileError("read", path, .ioError)
        }
      }
      let failing = try Dataset(at: scene.dataset.root, environment: environment)
      left.withLock { $0 = read }
      let report = try? failing.undo(operation)
      hasFailed = left.withLock { $0 < 0 }
      left.withLock { $0 = .max }

      func expectUndone() throws {
        let labels = try scene.dataset.labels(of: photo)
        #expect(labels.allSatisfy { $0.verdict == .withdrawn }, "\(failed.withLock { $0 })")
        let document = try scene.dataset.replica.document(at: .class(key))
        guard case .class(let labelClass)? = document else { return }
        #expect(labelClass.removed.value, "\(failed.withLock { $0 })")
      }
      if let report, report.kept.isEmpty { try expectUndone() }
      do {
        try failing.undo(operation)
      } catch {
        // It was undone already.
        #expect(error.kind == .invalidInput, "\(failed.withLock { $0 }): \(error)")
      }
      try expectUndone()
      number += 1
    }
    #expect(number > 20)
  }
}
