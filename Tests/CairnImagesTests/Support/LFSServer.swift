import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// An image store on a Git LFS server.
final class LFSServer: ImageServer {
  private let scratch: Scratch
  private let giftless: Giftless

  init() throws {
    scratch = Scratch()
    giftless = try Giftless(scratch.path.appending("objects"))
  }

  func remote() throws -> any ImageRemote { try remote(giftless.url("team/walk.git")) }

  /// Returns the remote at another URL, such as a proxy's.
  func remote(
    _ url: String, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> any ImageRemote {
    var context = TransportContext(GitSettings(), git: nil)
    configure(&context)
    let endpoint = LFSEndpoint(web: try #require(WebAddress(url)))
    return LFSImages(endpoint, context, environment: .machine)
  }

  private func file(of id: PhotoID) -> URL {
    URL(filePath: giftless.directory.string).appending(path: "team/walk/\(id)")
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
