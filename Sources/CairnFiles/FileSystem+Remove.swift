internal import LibC
private import Synchronization
package import SystemPackage

extension FileSystem {
  /// Removes a file if it exists.
  package func remove(_ path: FilePath) throws(FileError) {
    try fault?(.remove, path)
    do throws(FileError) {
      try call("remove", path) { unlink(path.string) }
    } catch  where error.code == .noSuchFileOrDirectory || error.code == .notDirectory {
    }
  }

  /// Removes a directory and its contents; symbolic links are removed, not followed.
  package func removeTree(_ path: FilePath) throws(FileError) {
    guard try status(path)?.kind == .directory else { return try remove(path) }
    for name in try list(path) ?? [] { try removeTree(path.appending(name)) }
    try call("remove", path) { rmdir(path.string) }
  }

  /// Removes a temporary file or a lock. If that fails twice, the process that holds the
  /// ``ProcessLock`` next removes it, as after a crash.
  package func discard(_ file: FilePath) {
    if (try? remove(file)) == nil, (try? remove(file)) == nil { leftovers.note() }
  }

  /// Removes a temporary directory and its contents, in the same way.
  package func discardTree(_ directory: FilePath) {
    if (try? removeTree(directory)) == nil, (try? removeTree(directory)) == nil {
      leftovers.note()
    }
  }

  /// Removes the parent directories of `path` while they are empty, up to but not including `top`.
  package func removeEmptyDirectories(above path: FilePath, upTo top: FilePath) {
    let top = top.string == "/" ? "/" : top.string + "/"
    var parent = directory(above: path.string)
    while parent.utf8.starts(with: top.utf8), rmdir(parent) == 0 {
      parent = directory(above: parent)
    }
  }

  /// Removes the directory at `path` if everything below it is empty directories.
  package func removeEmptyTree(_ path: FilePath) throws(FileError) {
    guard try status(path)?.kind == .directory else { return }
    for name in try list(path) ?? [] { try removeEmptyTree(path.appending(name)) }
    rmdir(path.string)
  }
}

/// Whether something is left that the next process has to remove.
final class Leftovers: Sendable {
  private let flag = Atomic(false)

  var exist: Bool { flag.load(ordering: .relaxed) }

  func note() { flag.store(true, ordering: .relaxed) }
}
