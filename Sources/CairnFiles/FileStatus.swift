internal import LibC
package import SystemPackage

/// The status of a file, including the fields that git's index stores.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable { case regular, directory, symlink, other }

  package let kind: Kind
  package let isExecutable: Bool
  package let size: Int64
  package let device: UInt64
  package let inode: UInt64
  package let links: UInt64
  package let user: UInt32
  package let group: UInt32
  /// Nanoseconds since 1970.
  package let modified: Int64
  package let changed: Int64
}

extension FileSystem {
  /// Returns the status of the file at `path`, not following symbolic links; nil when it does not
  /// exist.
  package func status(_ path: FilePath) throws(FileError) -> FileStatus? {
    try status(path.string)
  }

  /// The same for a path as text: creating a `FilePath` costs more than the system call.
  package func status(_ path: String) throws(FileError) -> FileStatus? {
    var buffer = stat()
    if let code = failure({ lstat(path, &buffer) }) {
      if code == .noSuchFileOrDirectory || code == .notDirectory { return nil }
      throw FileError("access", FilePath(path), code)
    }
    return FileStatus(buffer)
  }

  package func exists(_ path: FilePath) throws(FileError) -> Bool { try status(path) != nil }
}

extension FileStatus {
  init(_ buffer: stat) {
    isExecutable = buffer.st_mode & 0o111 != 0
    kind =
      switch buffer.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symlink
      default: .other
      }
    size = Int64(buffer.st_size)
    device = UInt64(truncatingIfNeeded: buffer.st_dev)
    inode = UInt64(buffer.st_ino)
    links = UInt64(buffer.st_nlink)
    user = buffer.st_uid
    group = buffer.st_gid
    #if canImport(Darwin)
      let (modification, change) = (buffer.st_mtimespec, buffer.st_ctimespec)
    #else
      let (modification, change) = (buffer.st_mtim, buffer.st_ctim)
    #endif
    modified = Int64(modification.tv_sec) * 1_000_000_000 + Int64(modification.tv_nsec)
    changed = Int64(change.tv_sec) * 1_000_000_000 + Int64(change.tv_nsec)
  }
}
