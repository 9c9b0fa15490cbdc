internal import Foundation
package import SystemPackage
internal import Testing

/// A Git LFS server that checks and logs its requests, and can misbehave: see `lfs_server.py`.
package final class StrictLFSServer {
  /// The directory of its objects and its log.
  package let directory: FilePath
  package private(set) var port = 0
  private let process = Process()
  private let input = Pipe()

  package init(_ directory: FilePath, _ plan: String = "{}") throws {
    self.directory = directory
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "CairnImagesTests/Programs/lfs_server.py")
    try FileManager.default.createDirectory(
      atPath: directory.appending("objects").string, withIntermediateDirectories: true)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, directory.string, plan]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0A {
      if byte.isEmpty { break }
      line += byte
    }
    port = try #require(Int(String(decoding: line, as: UTF8.self)), "the LFS server did not start")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    // Another child may have inherited the pipe and keep it open.
    process.terminate()
    process.waitUntilExit()
  }

  package var url: String { "http://127.0.0.1:\(port)" }

  /// Stores an object.
  package func put(_ bytes: [UInt8], as id: String) throws {
    try Data(bytes).write(to: URL(filePath: directory.appending("objects").appending(id).string))
  }

  /// Returns the log lines that start with a word, such as `get`.
  package func log(_ word: String) -> [Substring] {
    let file = URL(filePath: directory.appending("log").string)
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix(word + " ") }
  }
}
