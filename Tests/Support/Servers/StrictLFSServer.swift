internal import Foundation
package import SystemPackage

/// A Git LFS server that checks and logs its requests, and can misbehave: see `lfs_server.py`.
package final class StrictLFSServer {
  /// The directory of its objects and its log.
  package let directory: FilePath
  private let server: PythonServer

  package init(_ directory: FilePath, _ plan: String = "{}") throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      atPath: directory.appending("objects").string, withIntermediateDirectories: true)
    server = try PythonServer(
      "Support/Programs/lfs_server.py", [directory.string, plan], isQuiet: true)
  }

  package var port: Int { server.port }

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
