import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import Testing

/// giftless, a Git LFS server, on loopback, for as long as this object lives.
final class LFSServer: ImageServer {
  static let python = Python.program(having: "giftless")
  static let isInstalled = python != nil
  static let missing: Comment = "giftless is missing: `make setup` installs it"

  let port: UInt16
  private let scratch: Scratch
  private let process: ChildProcess

  init() throws {
    (scratch, port) = (try Scratch(), try freePort())
    let python = try #require(LFSServer.python, LFSServer.missing)
    let configuration = """
      AUTH_PROVIDERS: ['giftless.auth.allow_anon:read_write']
      LEGACY_ENDPOINTS: false
      PRE_AUTHORIZED_ACTION_PROVIDER:
        options: {private_key: 'a key of this test alone, long enough for HS256'}
      TRANSFER_ADAPTERS:
        basic:
          factory: 'giftless.transfer.basic_streaming:factory'
          options:
            storage_class: 'giftless.storage.local_storage:LocalStorage'
            storage_options: {path: '\(scratch.path)/objects'}
      """
    process = try ChildProcess(
      // What it says of each request nobody reads.
      "sh",
      [
        "-c", "exec \"$@\" >/dev/null 2>&1", "sh", python, "-m", "flask", "--app",
        "giftless.wsgi_entrypoint", "run", "-h", "127.0.0.1", "-p", "\(port)", "--with-threads",
      ], environment: ["GIFTLESS_CONFIG_STR": configuration])
    try waitForPort(port, "giftless")
  }

  var url: String { "http://127.0.0.1:\(port)/team/walk.git/info/lfs" }

  func remote() throws -> any ImageRemote { try remote(url) }

  /// The same through another address, such as a proxy's.
  func remote(
    _ url: String, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> any ImageRemote {
    var context = TransportContext(GitSettings(), git: nil)
    configure(&context)
    let endpoint = LFSEndpoint(web: try #require(WebAddress(url)))
    return LFSImages(endpoint, context, world: .machine)
  }

  private func file(of id: PhotoID) -> URL {
    URL(filePath: scratch.path.string).appending(path: "objects/team/walk/\(id)")
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? {
    (try? Data(contentsOf: file(of: id))).map { Array($0) }
  }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    let file = file(of: id)
    try? FileManager.default.removeItem(at: file)
    guard let bytes else { return }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}
