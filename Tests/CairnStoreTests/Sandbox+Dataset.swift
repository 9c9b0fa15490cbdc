import CairnDocument
import CairnFiles
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

extension Sandbox {
  convenience init() throws { try self.init { _ in ["GIT_CONFIG_GLOBAL": "/dev/null"] } }

  /// Returns the directory of a dataset below the root; creates it if there is none.
  func dataset(_ name: String = "dataset", environment: Environment = .test()) throws
    -> DatasetDirectory
  {
    let root = root.appending(name)
    let git = root.appending(".git")
    // The real file system, so that faults do not start before the test does.
    try FileSystem().createDirectory(git.pushing("cairn/tmp"))
    return DatasetDirectory(
      root: root, gitDirectory: git,
      blobs: BlobStore(directory: git.appending("lfs"), environment: environment),
      environment: environment)
  }

  /// Returns all files and links below a directory, with their contents.
  func snapshot(_ path: String) throws -> [String: [UInt8]] {
    let files = FileSystem()
    var found: [String: [UInt8]] = [:]
    func visit(_ path: FilePath, _ name: String) throws {
      switch try files.status(path)?.kind {
      case .directory:
        for child in try files.list(path) ?? [] {
          try visit(path.appending(child), name.isEmpty ? child : name + "/" + child)
        }
      case .symlink:
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: path.string)
        found[name] = Array("-> \(target)".utf8)
      default: found[name] = try files.read(path)
      }
    }
    try visit(self.path(path), "")
    return found
  }
}

extension Environment {
  /// Returns an environment whose clock advances by a millisecond per reading, with seeded random
  /// numbers.
  static func test(
    seed: UInt64 = 1, now start: Int64 = 1_700_000_000_000, files: FileSystem = FileSystem()
  ) -> Environment {
    let state = Mutex((now: start, random: SeededGenerator(seed)))
    return Environment(
      now: {
        state.withLock {
          $0.now += 1
          return $0.now
        }
      },
      random: { state.withLock { $0.random.next() } },
      files: files)
  }
}

/// Runs `body` with a fault at each of its steps in turn, after a run without one.
/// - Parameter isStrict: Whether each fault must be thrown; cleaning up ignores some.
/// - Parameter body: Receives the environment and the step at which it fails.
func withFaultAtEachStep(
  isStrict: Bool = true, _ body: (Environment, Int?) throws -> Void, check: (Int) throws -> Void
) throws {
  let counting = FileFaultPlan()
  try body(.test(files: counting.files), nil)
  #expect(counting.stepsSeen > 0)
  for step in 0..<counting.stepsSeen {
    do throws(any Error) {
      try body(.test(files: FileFaultPlan(failing: step).files), step)
      #expect(!isStrict, "step \(step) failed without an error")
    } catch {
      #expect(error is FileError, "step \(step)")
    }
    try check(step)
  }
}
