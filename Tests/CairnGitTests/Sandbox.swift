import CairnFiles
import CairnGit
import Dispatch
import Foundation
import SystemPackage
import Testing

/// A temporary directory in which the real git runs; it is removed when the test is done.
final class Sandbox: Sendable {
  let root: FilePath

  /// Every command takes less than a second; one that hangs must not block the other tests.
  private static let timeLimitSeconds = 60.0

  init() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-git-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    root = FilePath(directory.resolvingSymlinksInPath().path(percentEncoded: false))
  }

  deinit { try? FileManager.default.removeItem(atPath: root.string) }

  struct Output {
    let status: Int32
    let bytes: [UInt8]
    let errors: String
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  /// Runs git and returns its output, whether it fails or not.
  /// - Parameter directory: The working directory, relative to the root.
  func run(
    _ arguments: [String], in directory: String = "repo", input: [UInt8] = [],
    environment: [String: String] = [:]
  ) throws -> Output {
    // Files, not pipes: a pipe that fills up while another is read would block git.
    let scratch = root.appending("process-\(UUID().uuidString)").string
    let (inPath, outPath, errorPath) = (scratch + ".in", scratch + ".out", scratch + ".err")
    defer { for path in [inPath, outPath, errorPath] { unlink(path) } }
    try Data(input).write(to: URL(filePath: inPath))
    for path in [outPath, errorPath] { try Data().write(to: URL(filePath: path)) }

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.currentDirectoryURL = URL(filePath: root.appending(directory).string)
    process.environment = isolated.merging(environment) { $1 }
    let handles = [
      try FileHandle(forReadingFrom: URL(filePath: inPath)),
      try FileHandle(forWritingTo: URL(filePath: outPath)),
      try FileHandle(forWritingTo: URL(filePath: errorPath)),
    ]
    defer { for handle in handles { try? handle.close() } }
    process.standardInput = handles[0]
    process.standardOutput = handles[1]
    process.standardError = handles[2]
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + Sandbox.timeLimitSeconds) == .timedOut {
      process.terminate()
      Issue.record("git \(arguments.joined(separator: " ")) took too long")
    }
    return Output(
      status: process.isRunning ? -1 : process.terminationStatus,
      bytes: [UInt8](try Data(contentsOf: URL(filePath: outPath))),
      errors: String(decoding: try Data(contentsOf: URL(filePath: errorPath)), as: UTF8.self))
  }

  /// Runs git, which must succeed, and returns its output.
  @discardableResult
  func git(
    _ arguments: String..., in directory: String = "repo", input: [UInt8] = [],
    environment: [String: String] = [:]
  ) throws -> Output {
    let output = try run(arguments, in: directory, input: input, environment: environment)
    try #require(
      output.status == 0, "git \(arguments.joined(separator: " ")): \(output.errors)\(output.text)")
    return output
  }

  /// An environment without the machine's configuration and with fixed names and language.
  private var isolated: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": root.string, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
      "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
      "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_NAME": "Carl",
      "GIT_COMMITTER_EMAIL": "carl@example.org", "GIT_COMMITTER_DATE": "1700000000 +0000",
    ]
  }

  /// Creates a repository with git and opens it with cairn.
  func repository(
    _ name: String = "repo", bare: Bool = false, files: FileSystem = FileSystem()
  ) throws -> Repository {
    let options = bare ? ["--bare"] : []
    let output = try run(["init", "-q", "--template=", "-b", "main"] + options + [name], in: ".")
    try #require(output.status == 0, "\(output.errors)")
    return try open(name, files: files)
  }

  func open(_ name: String = "repo", files: FileSystem = FileSystem()) throws -> Repository {
    try Repository.open(root.appending(name), files: files)
  }

  /// Writes a file below the root, in place.
  func write(_ text: String, to path: String) throws {
    let url = URL(filePath: root.pushing(FilePath(path)).string)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let handle = try? FileHandle(forWritingTo: url) {
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    } else {
      try Data(text.utf8).write(to: url)
    }
  }

  func read(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: root.pushing(FilePath(path)).string)))
  }

  func names(in path: String) throws -> [String] {
    (try FileSystem().list(root.pushing(FilePath(path))) ?? []).sorted()
  }
}
