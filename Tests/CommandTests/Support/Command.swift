import Dispatch
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The exit status and output of a program.
struct Output {
  /// The exit status; the negative number of the signal that ended it.
  let status: Int32
  let bytes: Data
  let stderr: String

  var stdout: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines on stdout.
  var lines: [String] { stdout.split(separator: "\n").map(String.init) }

  /// The first word of stdout: an id that git printed.
  var word: String { stdout.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "" }

  /// Parses all of stdout as one JSON value.
  func json(_ location: SourceLocation = #_sourceLocation) throws -> JSONValue {
    do {
      return try JSONDecoder().decode(JSONValue.self, from: bytes)
    } catch {
      Issue.record("not JSON: \(stdout) \(stderr)", sourceLocation: location)
      throw error
    }
  }
}

/// A program to run, with its arguments, directory, environment and input.
struct Command {
  static let timeLimitSeconds = 60.0

  let program: String
  let arguments: [String]
  let directory: String
  var environment: [String: String]?
  var input: Data = Data()

  init(_ program: String, _ arguments: [String], in directory: String) {
    (self.program, self.arguments, self.directory) = (program, arguments, directory)
  }

  /// Runs the program until it ends.
  func run() throws -> Output { try start().wait() }

  /// Starts the program; several can run at the same time.
  func start() throws -> RunningCommand { try RunningCommand(self) }
}

/// A program exceeded the time limit and still runs after it was killed.
struct TookTooLong: Error {}

/// A running program. Its output goes to files, so that it never waits for a reader.
final class RunningCommand {
  private let command: Command
  private let process = Process()
  private let scratch = temporaryDirectory()
  private let ended = DispatchSemaphore(value: 0)

  init(_ command: Command) throws {
    self.command = command
    try command.input.write(to: scratch.appending(path: "in"))
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command.program] + command.arguments
    process.currentDirectoryURL = URL(filePath: command.directory)
    if let environment = command.environment { process.environment = environment }
    let input = try FileHandle(forReadingFrom: scratch.appending(path: "in"))
    let (output, errors) = (try writing("out"), try writing("err"))
    // Foundation keeps a process, and with it the open handles, longer than this object.
    defer { for handle in [input, output, errors] { try? handle.close() } }
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = errors
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
  }

  deinit { try? FileManager.default.removeItem(at: scratch) }

  /// Sends SIGINT, as Ctrl-C does.
  func interrupt() { _ = Self.kill(process.processIdentifier, SIGINT) }

  /// Sends SIGKILL.
  func kill() { _ = Self.kill(process.processIdentifier, SIGKILL) }

  func wait() throws -> Output {
    if ended.wait(timeout: .now() + Command.timeLimitSeconds) == .timedOut {
      kill()
      // A grandchild that is still running can keep Foundation from noticing the end.
      _ = ended.wait(timeout: .now() + 2)
      Issue.record("\(command.program) \(command.arguments) took too long")
    }
    guard !process.isRunning else { throw TookTooLong() }
    let wasKilled = process.terminationReason == .uncaughtSignal
    return Output(
      status: wasKilled ? -process.terminationStatus : process.terminationStatus,
      bytes: try Data(contentsOf: scratch.appending(path: "out")),
      stderr: String(
        decoding: try Data(contentsOf: scratch.appending(path: "err")), as: UTF8.self))
  }

  private func writing(_ name: String) throws -> FileHandle {
    let file = scratch.appending(path: name)
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }

  private static func kill(_ process: pid_t, _ signal: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.kill(process, signal)
    #elseif canImport(Musl)
      Musl.kill(process, signal)
    #else
      Darwin.kill(process, signal)
    #endif
  }
}
