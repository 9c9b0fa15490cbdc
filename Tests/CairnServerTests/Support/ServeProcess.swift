import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

/// `cairn serve` in a process of its own, which can be killed.
final class ServeProcess: Sendable {
  let client: Client
  /// What it printed.
  let output: JSON
  private let process: Running

  /// Starts a server, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - port: nil for the default one.
  ///   - variables: Environment variables that replace those of this process.
  init(
    _ dataset: FilePath, _ arguments: String..., port: Int? = 0,
    environment variables: [String: String] = [:]
  ) async throws {
    let program = try #require(Programs.cairn)
    let all = ["serve", "--json"] + (port.map { ["--port", "\($0)"] } ?? []) + arguments
    let (process, output) = try await onThread { () -> (Running, JSON) in
      let process = Process()
      let pipe = Pipe()
      process.executableURL = program
      process.arguments = all
      process.currentDirectoryURL = URL(filePath: dataset.string)
      process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
      process.standardOutput = pipe
      process.standardInput = FileHandle.nullDevice
      try process.run()
      var bytes: [UInt8] = []
      while true {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { throw HTTPConnection.Failure() }
        bytes += data
        if let json = try? JSON(bytes: bytes) { return (Running(process), json) }
      }
    }
    (self.process, self.output) = (process, output)
    client = Client(
      port: try #require(output["port"]?.int),
      headers: ["Authorization": "Bearer \(try #require(output["key"]?.string))"])
  }

  deinit { kill() }

  func kill() { process.end(SIGKILL) }

  /// Ends it as Ctrl-C does, and returns its exit status.
  func interrupt() async throws -> Int32 {
    process.end(SIGINT)
    return try await onThread { [process] in process.status() }
  }
}

/// A process of this test. Foundation's may be used from any thread.
private final class Running: @unchecked Sendable {
  private let process: Process

  init(_ process: Process) { self.process = process }

  func end(_ signal: Int32) {
    if process.isRunning { Foundation.kill(process.processIdentifier, signal) }
  }

  func status() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
