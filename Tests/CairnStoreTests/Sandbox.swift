import CairnDocument
import CairnFiles
import CairnStore
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A temporary directory for a test; it is removed when the test is done.
final class Sandbox: Sendable {
  let root: FilePath

  /// Every program takes less than a second; one that hangs must not block the other tests.
  private static let timeLimitSeconds = 60.0

  init() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-store-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    root = FilePath(directory.resolvingSymlinksInPath().path(percentEncoded: false))
  }

  deinit { try? FileManager.default.removeItem(atPath: root.string) }

  /// Returns a program of `PATH`, ready to run in the sandbox with an environment of its own.
  func process(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = URL(filePath: root.string)
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": root.string, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_CONFIG_GLOBAL": "/dev/null",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }

  /// Runs a program to its end.
  func run(_ program: String, _ arguments: String...) throws -> (status: Int32, text: String) {
    let out = root.appending("process-\(UUID().uuidString).out").string
    defer { unlink(out) }
    try Data().write(to: URL(filePath: out))
    let process = try process(program, arguments)
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: out))
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + Sandbox.timeLimitSeconds) == .timedOut {
      process.terminate()
      Issue.record("\(program) \(arguments) took too long")
      return (-1, "")
    }
    let bytes = try Data(contentsOf: URL(filePath: out))
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  static func isInstalled(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

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

  func path(_ path: String) -> FilePath { root.pushing(FilePath(path)) }

  func write(_ bytes: some Collection<UInt8>, to path: String) throws {
    let path = self.path(path)
    try FileSystem().createDirectory(path.removingLastComponent())
    try FileSystem().create(path, bytes)
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
