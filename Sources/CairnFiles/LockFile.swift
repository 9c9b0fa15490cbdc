internal import LibC
public import SystemPackage

/// A lock as git takes it: a file that must not exist yet, removed when the lock is released.
///
/// A process that is killed leaves its file behind, and git asks people to remove it. A lock file of
/// cairn is known by its text, and is held by the kernel (flock) besides: one that nobody holds is
/// a dead process's, and the next to come removes it.
public final class LockFile {
  /// The lock of one machine says nothing to another, on a share for example.
  private static let mark: [UInt8] = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return Array("held by cairn on ".utf8) + host + [0x0A]
  }()

  private let path: FilePath
  private let descriptor: CInt
  private let files: FileSystem

  private init(path: FilePath, descriptor: CInt, files: FileSystem) {
    (self.path, self.descriptor, self.files) = (path, descriptor, files)
  }

  /// Takes the lock; nil when another process has it.
  public static func take(_ path: FilePath, files: FileSystem) throws(FileError) -> LockFile? {
    if try files.exists(path), !removeIfDead(path) { return nil }
    try files.fault?(.create, path)
    // Marked and held before it gets its name; git passes over names in `.lock` everywhere.
    let unnamed = FilePath(
      path.string.dropLast(".lock".count)
        + "-\(String(UInt64.random(in: 0 ... .max), radix: 36)).lock")
    let descriptor = try files.call("lock", path) {
      open(unnamed.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    }
    defer { unlink(unnamed.string) }
    flock(descriptor, LOCK_EX | LOCK_NB)
    let written = mark.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written == mark.count, link(unnamed.string, path.string) == 0 {
      return LockFile(path: path, descriptor: descriptor, files: files)
    }
    let code = Errno(rawValue: errno)
    close(descriptor)
    switch code {
    case .fileExists: return nil
    case .notPermitted, .notSupported, .noFunction: return try takeWithoutLinks(path, files: files)
    default: throw FileError("lock", path, code)
    }
  }

  /// Takes the lock on a disk without hard links (FAT): a process that is killed before its mark is
  /// written leaves a lock that people have to remove.
  private static func takeWithoutLinks(
    _ path: FilePath, files: FileSystem
  ) throws(FileError) -> LockFile? {
    let descriptor = open(path.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw FileError("lock", path, Errno(rawValue: errno))
    }
    flock(descriptor, LOCK_EX | LOCK_NB)
    _ = mark.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    return LockFile(path: path, descriptor: descriptor, files: files)
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
