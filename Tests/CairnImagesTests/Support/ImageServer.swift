import CairnDocument
import CairnFiles
import CairnImages
import CairnStore
import Crypto
import Foundation
import SystemPackage
import TestSupport

/// An image store with its server. The test can also read and change the stored bytes directly.
protocol ImageServer: AnyObject {
  /// Returns the remote, configured as a user would configure it.
  func remote() throws -> any ImageRemote

  /// Returns the bytes that are stored as an image; nil when there are none.
  func bytes(of id: PhotoID) throws -> [UInt8]?

  /// Stores bytes as an image without checking them; nil removes the image.
  func put(_ bytes: [UInt8]?, as id: PhotoID) throws
}

/// A temporary directory with a blob store, removed with the object.
final class Scratch {
  private let directory = TemporaryDirectory()
  let store: BlobStore

  init() { store = BlobStore(directory: directory.path("lfs"), environment: .machine) }

  var path: FilePath { directory.root }

  /// Adds a blob of bytes that depend on `seed`.
  func add(_ seed: UInt8, size: Int = 1000) throws -> Pointer {
    let bytes = sampleBytes(seed, size: size)
    var isFirst = true
    let staged = try store.stage {
      defer { isFirst = false }
      return isFirst ? bytes : nil
    }
    try store.install(staged)
    return Pointer(id: staged.id, size: staged.size)
  }

  func bytes(of id: PhotoID) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: store.path(of: id).string))).map { Array($0) }
  }
}

func sampleBytes(_ seed: UInt8, size: Int) -> [UInt8] {
  (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 >> 8) &+ Int(seed) &* 7) }
}

func pointer(to bytes: [UInt8]) -> Pointer {
  Pointer(id: PhotoID(digest: SHA256.hash(data: bytes)), size: bytes.count)
}
