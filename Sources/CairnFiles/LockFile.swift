internal import LibC
public import SystemPackage

/// A lock as git takes it: a file that must not exist yet, removed when the lock is released.
///
/// A process that is killed leaves its file behind, and git asks people to remove it. A lock file of
/// cairn is known by its text, and is held by the kernel (flock) besides: one that nobody holds is
/// a dead process's, and the next to come removes it.
public final class LockFile {
  private static let mark = Array("held by cairn\n".utf8)

  private let path: FilePath
  private let descriptor: CInt
  private let files: FileSystem

  private init(path: FilePath, descriptor: CInt, files: FileSystem) {
    (self.path, self.descriptor, self.files) = (path, descriptor, files)
  }

  /// Takes the lock; nil when another process has it.
  public static func take(_ path: FilePath, files: FileSystem) throws(FileError) -> LockFile? {
    try files.fault?(.create, path)
    let descriptor = open(path.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let code = Errno(rawValue: errno)
      guard code == .fileExists else { throw FileError("lock", path, code) }
      return removeIfDead(path) ? try take(path, files: files) : nil
    }
    // Before the mark is written: a file without it is never taken for a dead process's.
    flock(descriptor, LOCK_EX | LOCK_NB)
    let lock = LockFile(path: path, descriptor: descriptor, files: files)
    guard mark.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == mark.count else {
      throw FileError("lock", path, Errno(rawValue: errno))
    }
    return lock
  }

  /// Removes the lock file of a process of cairn that has ended; false when it is not one.
  private static func removeIfDead(_ path: FilePath) -> Bool {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: mark.count + 1)
    let count = text.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard text.prefix(max(0, count)).elementsEqual(mark),
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else { return false }
    // Who holds this file may remove it, if it still has the name.
    var (held, named) = (stat(), stat())
    guard fstat(descriptor, &held) == 0, stat(path.string, &named) == 0 else {
      return errno == ENOENT
    }
    guard held.st_ino == named.st_ino, held.st_dev == named.st_dev else { return true }
    return unlink(path.string) == 0
  }

  deinit {
    try? files.remove(path)
    close(descriptor)
  }
}
