internal import CairnFiles
internal import CairnHTTP
internal import LibC
internal import SystemPackage

/// A request body, kept so that it can be sent again: in memory while small, then in a file.
final class SpooledBody {
  private var bytes: [UInt8] = []
  private var file: (path: FilePath, FileDescriptor)?
  private var length = 0
  private let directory: FilePath

  private static let memoryLimit = 1 << 20

  /// - Parameter directory: The directory for the file, on a disk with space for a pack.
  init(directory: FilePath) { self.directory = directory }

  deinit {
    guard let (path, descriptor) = file else { return }
    try? descriptor.close()
    unlink(path.string)
  }

  func append(_ more: UnsafeRawBufferPointer) throws {
    length += more.count
    if file == nil, length <= SpooledBody.memoryLimit { return bytes += more }
    if file == nil {
      let path = directory.appending(TemporaryName.make("spool"))
      file = (
        path,
        try FileDescriptor.open(
          path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
          permissions: .ownerReadWrite)
      )
      try file!.1.writeAll(bytes)
      bytes = []
    }
    try file!.1.writeAll(more)
  }

  var body: HTTPRequest.Body {
    file.map { .file($0.path, offset: 0, length: length) } ?? .bytes(bytes)
  }
}
