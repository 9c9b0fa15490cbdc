import CairnTransport
import Foundation
import Synchronization
import Testing

/// A program in Python beside the tests that answers questions, a line of JSON for a line of JSON, for
/// as long as this object lives.
final class S3Program: Sendable {
  /// Where `make setup` puts Python with moto, and else the one that is in PATH.
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

  /// Whether moto and all that its server needs are there.
  static let isMotoInstalled: Bool = {
    let question =
      "import importlib.util as u, sys; "
      + "sys.exit(not all(map(u.find_spec, ['moto', 'boto3', 'flask', 'flask_cors'])))"
    return (try? ChildProcess(python, ["-c", question]))?.end(timeout: 60_000) == 0
  }()

  static let missing: Comment = "moto is missing: `make setup` installs moto[server] for Python"

  /// What it said first.
  let greeting: String
  private let state: Mutex<State>

  private struct State {
    let process: ChildProcess
    var heard: [UInt8] = []

    mutating func line() throws -> String {
      var piece = [UInt8](repeating: 0, count: 65536)
      while true {
        if let end = heard.firstIndex(of: 0x0A) {
          defer { heard.removeFirst(end + 1) }
          return String(decoding: heard[..<end], as: UTF8.self)
        }
        let count = try piece.withUnsafeMutableBytes { try process.read(into: $0, timeout: 60) }
        try #require(count > 0, "it ended: \(process.stderrText.sentence)")
        heard += piece[..<count]
      }
    }
  }

  init(_ name: String, _ arguments: [String] = []) throws {
    let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs/\(name)")
    var state = State(process: try ChildProcess(S3Program.python, [program.path] + arguments))
    greeting = try state.line()
    self.state = Mutex(state)
  }

  /// Has it do something.
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
