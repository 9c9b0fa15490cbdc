internal import Dispatch
package import Foundation
internal import SystemPackage
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The exit status and output of a program.
package struct ProgramOutput: Sendable {
  /// The exit status; the negative number of the signal that ended it.
  package let status: Int32
  package let bytes: Data
  package let stderr: String

  package var stdout: String { String(decoding: bytes, as: UTF8.self) }

  /// Standard output, followed by standard error.
  package var all: String { stdout + stderr }

  /// The lines on stdout.
  package var lines: [String] { stdout.split(separator: "\n").map(String.init) }

  /// The first word of stdout: an id that git printed.
  package var word: String {
    stdout.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
  }
}

/// A program to run, with its arguments, directory, environment and input.
package struct Command {
  /// The time after which a program is killed and its test fails. On a busy machine, a sync that
  /// takes a second may take many.
  package static let timeLimitSeconds = 120

  package let program: String
  package let arguments: [String]
  package let directory: String
  /// All its environment variables; nil for those of this process.
  package var environment: [String: String]?
  package var input = Data()

  package init(_ program: String, _ arguments: [String], in directory: String) {
    (self.program, self.arguments, self.directory) = (program, arguments, directory)
  }

  /// Runs the program until it ends.
  package func run() throws -> ProgramOutput { try start().wait() }

  /// Starts the program; several can run at the same time.
  package func start() throws -> RunningCommand { try RunningCommand(self) }
}

/// A program exceeded the time limit and still runs after it was killed.
private struct TookTooLong: Error {}

/// A running program. Its output goes to files, so that it never waits for a reader.
package final class RunningCommand {
  private let command: Command
  private let process = Process()
  private let scratch = TemporaryDirectory()
  private let ended = DispatchSemaphore(value: 0)

  package init(_ command: Command) throws {
    self.command = command
    try scratch.write(command.input, to: "in")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command.program] + command.arguments
    process.currentDirectoryURL = URL(filePath: command.directory)
    if let environment = command.environment { process.environment = environment }
    let input = try FileHandle(forReadingFrom: scratch.url("in"))
    let (output, errors) = (try writing("out"), try writing("err"))
    // Foundation keeps a process, and with it the open handles, longer than this object.
    defer { for handle in [input, output, errors] { try? handle.close() } }
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = errors
    process.terminationHandler = { [ended] _ in ended.signal() }
    // A program inherits the signals that its thread blocks, and a shell in which SIGCHLD is blocked
    // waits for ever.
    var (none, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
    try process.run()
  }

  package var isRunning: Bool { process.isRunning }

  /// Standard error so far.
  package var stderr: String {
    String(decoding: (try? Data(contentsOf: scratch.url("err"))) ?? Data(), as: UTF8.self)
  }

  /// Sends SIGINT, as Ctrl-C does.
  package func interrupt() { _ = Self.kill(process.processIdentifier, SIGINT) }

  /// Sends SIGKILL.
  package func kill() { _ = Self.kill(process.processIdentifier, SIGKILL) }

  package func wait() throws -> ProgramOutput {
    if ended.wait(timeout: .now() + .seconds(Command.timeLimitSeconds)) == .timedOut {
      kill()
      // A grandchild that is still running can keep Foundation from noticing the end.
      _ = ended.wait(timeout: .now() + 2)
      Issue.record("\(command.program) \(command.arguments) took too long")
    }
    guard !process.isRunning else { throw TookTooLong() }
    let wasKilled = process.terminationReason == .uncaughtSignal
    return ProgramOutput(
      status: wasKilled ? -process.terminationStatus : process.terminationStatus,
      bytes: try Data(contentsOf: scratch.url("out")),
      stderr: String(decoding: try Data(contentsOf: scratch.url("err")), as: UTF8.self))
  }

  private func writing(_ name: String) throws -> FileHandle {
    try scratch.write([UInt8](), to: name)
    return try FileHandle(forWritingTo: scratch.url(name))
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

/// Waits until a condition holds; the time limit only ends tests that fail.
package func wait(until holds: () -> Bool) {
  for _ in 0..<(Command.timeLimitSeconds * 100) {
    if holds() { return }
    usleep(10_000)
  }
}
