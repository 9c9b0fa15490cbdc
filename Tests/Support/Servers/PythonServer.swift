internal import Foundation
internal import Testing

/// A server in Python: a program that prints its port as its first line and runs until its input
/// ends. It runs while this object lives.
package final class PythonServer {
  package let port: Int
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  /// - Parameters:
  ///   - script: The path of the program below `Tests`, such as `CairnHTTPTests/server.py`.
  ///   - isQuiet: Whether to discard what it writes to standard error.
  package init(_ script: String, _ arguments: [String] = [], isQuiet: Bool = false) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", packageDirectory.appending(path: "Tests/\(script)").path] + arguments
    process.standardInput = input
    process.standardOutput = output
    if isQuiet { process.standardError = FileHandle.nullDevice }
    try process.run()
    let first = try PythonServer.line(from: output)
    port = try #require(Int(first), "\(script) did not start")
  }

  /// Sends a line to the program's input and returns the line that it responds with.
  package func ask(_ question: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
    return try PythonServer.line(from: output)
  }

  private static func line(from output: Pipe) throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0A {
      if byte.isEmpty { break }
      line += byte
    }
    return String(decoding: line, as: UTF8.self)
  }

  deinit { stop() }

  package func stop() {
    guard process.isRunning else { return }
    try? input.fileHandleForWriting.close()
    // Another child may have inherited the pipe and keep it open.
    process.terminate()
    process.waitUntilExit()
  }
}
