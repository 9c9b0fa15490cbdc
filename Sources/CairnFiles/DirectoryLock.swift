internal import LibC
package import SystemPackage

/// An exclusive lock on a directory, held until it is released or its process ends in any way.
package final class DirectoryLock: Sendable {
  private let descriptor: CInt

  /// Locks the directory at `path`; returns nil when another process holds it or it does not exist.
  package static func acquire(_ path: FilePath, files: FileSystem) throws(FileError)
    -> DirectoryLock?
  {
    let descriptor: CInt
    do throws(FileError) {
      descriptor = try files.call("lock", path) {
        open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
    } catch {
      if error.code == .noSuchFileOrDirectory { return nil }
      throw error
    }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return DirectoryLock(descriptor: descriptor) }
    let code = Errno(rawValue: errno)
    close(descriptor)
    if code == .wouldBlock { return nil }
    throw FileError("lock", path, code)
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns whether the directory at `path` is still the locked one: it may have been removed
  /// before it was locked.
  package func isOf(_ path: FilePath, files: FileSystem) -> Bool {
    files.isOpen(FileDescriptor(rawValue: descriptor), at: path)
  }
}
