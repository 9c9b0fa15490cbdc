import CairnDocument
import CairnImages
import CairnStore
import Foundation
import SystemPackage

/// An image store in a directory on this disk.
final class DirectoryServer: ImageServer {
  private let scratch: Scratch

  var store: BlobStore { scratch.store }

  init() throws { scratch = Scratch() }

  func remote() throws -> any ImageRemote { DirectoryImages(scratch.store) }

  func bytes(of id: PhotoID) throws -> [UInt8]? { scratch.bytes(of: id) }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    let file = scratch.store.path(of: id)
    try? FileManager.default.removeItem(atPath: file.string)
    guard let bytes else { return }
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: file.string))
  }
}
