import CairnDocument
import CairnImages
import CairnStore
import Foundation
import SystemPackage

/// An image store in a directory on this disk.
final class DirectoryServer: ImageServer {
  private let scratch = Scratch()
  let store: BlobStore

  init() throws { store = scratch.store }

  /// Creates a store in a directory of a server.
  init(at directory: FilePath) { store = BlobStore(directory: directory, environment: .machine) }

  func remote() throws -> any ImageRemote { DirectoryImages(store) }

  func bytes(of id: PhotoID) throws -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: store.path(of: id).string))).map { Array($0) }
  }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    let file = store.path(of: id)
    try? FileManager.default.removeItem(atPath: file.string)
    guard let bytes else { return }
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: file.string))
  }
}
