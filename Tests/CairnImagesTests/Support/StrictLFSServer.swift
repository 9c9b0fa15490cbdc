import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import Testing

/// A Git LFS server of our own that checks what it is sent, notes it, and can be told to be difficult:
/// see `lfs_server.py`.
final class StrictLFSServer {
  let scratch: Scratch
  private let process = Process()
  private let input = Pipe()
  private(set) var port = 0

  init(_ plan: String = "{}") throws {
    scratch = try Scratch()
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs/lfs_server.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, scratch.path.string, plan]
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
    process.waitUntilExit()
  }

  var url: String { "http://127.0.0.1:\(port)" }

  func remote(
    ssh: SSHAddress? = nil, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> LFSImages {
    var context = TransportContext(GitSettings(), git: nil)
    configure(&context)
    let endpoint = LFSEndpoint(web: try #require(WebAddress(url)), ssh: ssh)
    return LFSImages(endpoint, context, world: .machine)
  }

  /// Puts an object there.
  func put(_ bytes: [UInt8], as id: PhotoID) throws {
    let directory = URL(filePath: scratch.path.appending("objects").string)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: directory.appending(path: "\(id)"))
  }

  /// What it was asked, a line each.
  func log(_ word: String) -> [Substring] {
    let file = URL(filePath: scratch.path.appending("log").string)
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix(word + " ") }
  }
}
