package import CairnFiles
internal import Synchronization
internal import SystemPackage

/// Makes the n-th change of a file system fail, and only that one.
package final class FileFaultPlan: Sendable {
  private let state: Mutex<(seen: Int, failing: Int?)>

  /// - Parameter failing: The number of the change that fails, from 0; nil to count them only.
  package init(failing: Int? = nil) { state = Mutex((0, failing)) }

  package var stepsSeen: Int { state.withLock { $0.seen } }

  package var files: FileSystem {
    FileSystem { [self] (_, path) throws(FileError) in
      let fails = state.withLock { state in
        defer { state.seen += 1 }
        return state.seen == state.failing
      }
      if fails { throw FileError("write", path, .noSpace) }
    }
  }
}
