internal import LibC
public import SystemPackage

extension FileSystem {
  /// Gives the read-only file at `source` a second place at `path`, which must be free: a reflink
  /// where the disk can, else a hard link, else a copy.
  public func share(_ source: FilePath, at path: FilePath) throws(FileError) {
    try fault?(.link, path)
    if reflink(source, to: path) { return }
    do throws(FileError) {
      try call("write", path) { link(source.string, path.string) }
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .fileExists, .noSpace, .readOnlyFileSystem, .permissionDenied:
        throw error
      default: try copy(source, to: path)  // Another disk, or one without hard links.
      }
    }
  }

  /// Copies a file to `path`, which must be free, and lends each piece of it on the way.
  ///
  /// - Returns: The number of bytes copied.
  @discardableResult
  public func copy(
    _ source: FilePath, to path: FilePath, durable: Bool = false,
    _ each: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(FileError) -> Int {
    try fault?(.create, path)
    let file = try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate],
        permissions: [.ownerRead, .groupRead, .otherRead])
    }
    do {
      return try file.closeAfter {
        let count = try forEachPiece(of: source) { piece in
          try fault?(.write, path)
          do { try file.writeAll(piece) } catch {
            throw FileError("write", path, (error as? Errno) ?? .ioError)
          }
          each(piece)
        }
        if durable { try call("write", path) { fsync(file.rawValue) } }
        return count
      }
    } catch {
      _ = unlink(path.string)
      throw (error as? FileError) ?? FileError("copy", source, (error as? Errno) ?? .ioError)
    }
  }

  /// Makes `path` a clone of `source` that shares its blocks; false where the disk cannot.
  private func reflink(_ source: FilePath, to path: FilePath) -> Bool {
    #if canImport(Darwin)
      return clonefile(source.string, path.string, 0) == 0
    #else
      let from = open(source.string, O_RDONLY | O_CLOEXEC)
      guard from >= 0 else { return false }
      defer { close(from) }
      let to = open(path.string, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o444)
      guard to >= 0 else { return false }
      defer { close(to) }
      // linux/fs.h: FICLONE is _IOW(0x94, 9, int).
      if ioctl(to, 0x4004_9409, from) == 0 { return true }
      unlink(path.string)
      return false
    #endif
  }
}
