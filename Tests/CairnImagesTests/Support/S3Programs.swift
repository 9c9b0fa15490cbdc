import CairnProcess
import Foundation
import Synchronization
import Testing

/// A Python program that responds to each line of JSON with a line of JSON. It runs as long as this
/// object lives.
final class S3Program: Sendable {
  /// The Python that `make setup` installs with moto, or otherwise the one in PATH.
  static let python: String = {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path.count > 1 {
      let programs = directory.appending(path: ".build/python/bin")
      if FileManager.default.isExecutableFile(atPath: programs.appending(path: "moto_server").path)
      {
        return programs.appending(path: "python3").path
      }
      directory.deleteLastPathComponent()
    }
    return "python3"
  }()

  /// Whether moto and everything that its server needs are installed.
  static let isMotoInstalled: Bool = {
    let question =
      "import importlib.util as u, sys; "
      + "sys.exit(not all(map(u.find_spec, ['moto', 'boto3', 'flask', 'flask_cors'])))"
    return (try? ChildProcess(python, ["-c", question]))?.end(timeout: 60_000) == 0
  }()

  static let missing: Comment = "moto is missing: `make setup` installs moto[server] for Python"

  /// The first line that it printed.
  let greeting: String
  private let state: Mutex<State>

  private struct State {
    let process: ChildProcess
    var buffer: [UInt8] = []

    mutating func line() throws -> String {
      var piece = [UInt8](repeating: 0, count: 65536)
      while true {
        if let end = buffer.firstIndex(of: 0x0A) {
          defer { buffer.removeFirst(end + 1) }
          return String(decoding: buffer[..<end], as: UTF8.self)
        }
        let count = try piece.withUnsafeMutableBytes { try process.read(into: $0, timeout: 60) }
        try #require(count > 0, "the program ended: \(process.stderrText.sentence)")
        buffer += piece[..<count]
      }
    }
  }

  init(_ name: String, _ arguments: [String] = [], python: String = S3Program.python) throws {
    let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs/\(name)")
    var state = State(process: try ChildProcess(python, [program.path] + arguments))
    greeting = try state.line()
    self.state = Mutex(state)
  }

  /// Sends a request and returns the response.
  @discardableResult
  func ask<Answer: Decodable>(
    _ verb: String, _ parameters: [String: any Sendable] = [:], as: Answer.Type
  ) throws -> Answer {
    let question = try JSONSerialization.data(
      withJSONObject: parameters.merging(["do": verb]) { $1 })
    let line = try state.withLock { state in
      try Array(question + [0x0A]).withUnsafeBytes { try state.process.write($0, timeout: 60) }
      return try state.line()
    }
    do {
      return try JSONDecoder().decode(Reply<Answer>.self, from: Data(line.utf8)).answer
    } catch {
      Issue.record("\(verb): \(line.prefix(500))")
      throw error
    }
  }
}

private struct Reply<Answer: Decodable>: Decodable {
  let answer: Answer
}
