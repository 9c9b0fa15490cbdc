internal import LibC
internal import Synchronization
package import SystemPackage

/// The disks that have answered that they have no reflinks.
private let disksWithoutReflinks = Mutex<Set<UInt64>>([])

extension FileSystem {
  /// Whether a disk is known to have no reflinks: that is found out when the first file is shared.
  package static func hasNoReflinks(_ device: UInt64) -> Bool {
    disksWithoutReflinks.withLock { $0.contains(device) }
  }

  /// Shares the read-only file at `source` at `path` in one step, as a hard link, and creates the
  /// directory of `path`.
  ///
  /// - Parameter device: The disk of `source`.
  /// - Returns: False if something is at `path`, if the disk may have reflinks, or if a link is not
  ///   possible: then ``share(_:at:)`` it at a temporary path.
  package func link(
    _ source: FilePath, on device: UInt64, at path: FilePath
  ) throws(FileError) -> Bool {
    guard FileSystem.hasNoReflinks(device) else { return false }
    do throws(FileError) {
      try fault?(.link, path)
      var code = failure { systemLink(source.string, path.string) }
      if code == .noSuchFileOrDirectory {
        try createDirectory(above: path)
        code = failure { systemLink(source.string, path.string) }
      }
      guard let code else { return true }
      throw FileError("write", path, code)
    } catch {
      switch error.code {
      case .noSpace, .readOnlyFileSystem, .ioError: throw error
      default: return false
      }
    }
  }

  /// Shares the read-only file at `source` at `path`, which must not exist: as a reflink where the
  /// disk supports it, otherwise as a hard link, otherwise as a copy.
  package func share(_ source: FilePath, at path: FilePath) throws(FileError) {
    do throws(FileError) {
      try fault?(.link, path)
      if reflink(source, to: path) { return }
      try call("write", path) { systemLink(source.string, path.string) }
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .fileExists, .noSpace, .readOnlyFileSystem, .ioError: throw error
      // Another disk, a disk without hard links, or a disk that refuses this link.
      default: try copy(source, to: path)
      }
    }
  }

  /// Copies a file to `path`, which must not exist and becomes read-only, and passes each chunk to
  /// `each`.
  ///
  /// - Parameters:
  ///   - durable: Whether the bytes must be on the disk on return.
  ///   - finish: Called with the whole copy, while it is still writable.
  /// - Returns: The number of bytes copied.
  @discardableResult
  package func copy(
    _ source: FilePath, to path: FilePath, durable: Bool = false,
    finish: ((FileDescriptor) -> Void)? = nil,
    _ each: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(FileError) -> Int {
    try fault?(.create, path)
    let file = try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate],
        permissions: finish == nil ? [.ownerRead, .groupRead, .otherRead] : .plainFile)
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
        if let finish {
          finish(file)
          var status = stat()
          // Not all file systems have permissions.
          if fstat(file.rawValue, &status) == 0 {
            _ = fchmod(file.rawValue, status.st_mode & 0o444)
          }
        }
        if durable { try syncIfSupported(file, path) }
        return count
      }
    } catch {
      _ = unlink(path.string)
      throw (error as? FileError) ?? FileError("copy", source, (error as? Errno) ?? .ioError)
    }
  }

  /// Clones `source` to `path` with shared blocks; returns false where the disk does not support
  /// it.
  private func reflink(_ source: FilePath, to path: FilePath) -> Bool {
    #if canImport(Darwin)
      return clonefile(source.string, path.string, 0) == 0
    #else
      let from = open(source.string, O_RDONLY | O_CLOEXEC)
      guard from >= 0 else { return false }
      defer { close(from) }
      var status = stat()
      guard fstat(from, &status) == 0 else { return false }
      let device = FileStatus(status).device
      if FileSystem.hasNoReflinks(device) { return false }
      let to = open(path.string, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o444)
      guard to >= 0 else { return false }
      defer { close(to) }
      // linux/fs.h: FICLONE is _IOW(0x94, 9, int).
      if ioctl(to, 0x4004_9409, from) == 0 { return true }
      if systemErrno == EOPNOTSUPP || systemErrno == ENOTTY {
        _ = disksWithoutReflinks.withLock { $0.insert(device) }
      }
      unlink(path.string)
      return false
    #endif
  }
}

/// `link`, which the extension's own method hides.
private func systemLink(_ from: String, _ to: String) -> CInt { link(from, to) }
