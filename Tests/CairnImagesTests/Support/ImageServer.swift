import CairnDocument
import CairnFiles
import CairnImages
import CairnStore
import Crypto
import Foundation
import SystemPackage

/// A place for images that a test has made, with what serves it; what lies there can be seen and changed
/// behind its back.
protocol ImageServer: AnyObject {
  /// The remote as a person would have it.
  func remote() throws -> any ImageRemote

  /// Returns the bytes that lie there as an image; nil when there are none.
  func bytes(of id: PhotoID) throws -> [UInt8]?

  /// Puts bytes there, whatever they are; nil takes the image away.
  func put(_ bytes: [UInt8]?, as id: PhotoID) throws
}

/// A directory with a blob store, removed at the end.
final class Scratch {
  let path: FilePath
  let store: BlobStore

  init() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-images-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = FilePath(directory.resolvingSymlinksInPath().path(percentEncoded: false))
    store = BlobStore(directory: path.appending("lfs"), environment: .machine)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// Makes a blob of bytes that depend on `seed`.
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
