internal import LibC
package import SystemPackage

extension FileSystem {
  /// Makes the bytes of the open file at `path` durable.
  package func sync(_ file: FileDescriptor, _ path: FilePath) throws(FileError) {
    try fault?(.sync, path)
    try call("write", path) { fsync(file.rawValue) }
  }

  /// Makes all writes so far durable: cheaper for many files than syncing each one.
  package func syncEverything(_ path: FilePath) throws(FileError) {
    try fault?(.sync, path)
    LibC.sync()
  }

  /// Makes the names in a directory durable, where that is possible: some file systems do not sync what
  /// is open for reading, and a user may add to a directory without being able to read it.
  ///
  /// Source: PostgreSQL, src/common/file_utils.c, `fsync_fname`.
  package func syncDirectory(_ path: FilePath) throws(FileError) {
    do throws(FileError) {
      try attempt("write", path) {
        let directory = try FileDescriptor.open(path, .readOnly)
        try directory.closeAfter { try syncIfSupported(directory, path) }
      }
    } catch  where [.badFileDescriptor, .permissionDenied].contains(error.code) {
    }
  }

  /// Makes the bytes of a file durable and drops them from the system's cache, so that the next read
  /// returns what the disk has: after a failed write, the cache still has what was written.
  package func syncForReading(_ path: FilePath) throws(FileError) {
    try attempt("read", path) {
      let file = try FileDescriptor.open(path, .readOnly)
      try file.closeAfter {
        try syncIfSupported(file, path)
        #if !canImport(Darwin)
          posix_fadvise(file.rawValue, 0, 0, POSIX_FADV_DONTNEED)
        #endif
      }
    }
  }

  /// Makes an open file or directory durable, where its file system can: some have no such operation,
  /// for directories or because they are read-only.
  func syncIfSupported(_ file: FileDescriptor, _ path: FilePath) throws(FileError) {
    do throws(FileError) {
      try sync(file, path)
    } catch {
      let unsupported: [Errno] = [
        .invalidArgument, .notSupported, .noFunction, .readOnlyFileSystem,
      ]
      if !unsupported.contains(error.code) { throw error }
    }
  }
}
