internal import CFiles
internal import LibC
package import SystemPackage

/// Puts many new files into a directory tree, with few system calls for each: directories stay open
/// while consecutive files are in them, and no path is looked up from the top.
///
/// Each file is written to a directory of the placer and then renamed, so that after a crash, a file is
/// there whole or not at all. Several placers may work on the same tree, each used by one thread.
package final class FilePlacer {
  package enum Outcome: Sendable {
    /// The file is in place. Its status is nil if another process has changed it already.
    case placed(FileStatus?)
    /// Something was in the place of the file or of a directory above it, or it could not be created.
    /// No file was changed.
    case refused
  }

  /// A directory below the root, in the one before it.
  private struct Level {
    let name: String
    let directory: OpenDirectory
  }

  /// The name of each file before it is renamed.
  private static let temporaryName = "new"

  private let files: FileSystem
  private let path: FilePath
  private let scratchPath: FilePath
  private let root: OpenDirectory
  private let scratch: OpenDirectory
  /// The directory of the last file; nil if it could not be opened.
  private var parent: String?
  /// The open directories on the way to it.
  private var levels: [Level] = []

  /// - Parameters:
  ///   - root: The directory that paths are relative to.
  ///   - scratch: The path of a directory on the same disk, which must not exist. It is removed with the
  ///     placer.
  package init(root: FilePath, scratch: FilePath, files: FileSystem) throws(FileError) {
    try files.createDirectory(scratch)
    (self.files, path, scratchPath) = (files, root, scratch)
    self.root = try FilePlacer.directory(at: root, files)
    self.scratch = try FilePlacer.directory(at: scratch, files)
  }

  private static func directory(
    at path: FilePath, _ files: FileSystem
  ) throws(FileError) -> OpenDirectory {
    let descriptor = try files.call("read", path) {
      open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    return OpenDirectory(descriptor: descriptor)
  }

  deinit { rmdir(scratchPath.string) }

  /// Creates a file, and the missing directories above it. Symbolic links are not followed.
  ///
  /// - Parameter path: A path relative to the root, whose components are not empty, “.” or “..”.
  package func place(_ bytes: [UInt8], at path: String) throws(FileError) -> Outcome {
    guard let (directory, name) = try enterDirectory(of: path) else { return .refused }
    try files.fault?(.create, location(path))
    let file = try attemptCreate()
    let temporary = FilePlacer.temporaryName
    do throws(FileError) {
      try fill(file, bytes)
      guard let written = scratch.status(temporary) else {
        throw FileError("write", scratchPath, .ioError)
      }
      try files.fault?(.rename, location(path))
      guard scratch.move(temporary, toNew: name, in: directory) else {
        scratch.unlink(temporary)
        return .refused
      }
      return .placed(directory.status(name, ifSameAs: written))
    } catch {
      scratch.unlink(temporary)
      throw error
    }
  }

  /// Shares the read-only file at `source` at `path`, as a hard link, and creates the missing directories
  /// above it. Symbolic links are not followed.
  ///
  /// - Returns: ``Outcome/refused`` also if there is no file at `source`, if somebody made it
  ///   executable, if its disk may have reflinks, which are better, or if it refuses links.
  package func link(_ source: FilePath, at path: String) throws(FileError) -> Outcome {
    guard let shared = try files.status(source), shared.kind == .regular, !shared.isExecutable,
      FileSystem.hasNoReflinks(shared.device),
      let (directory, name) = try enterDirectory(of: path)
    else { return .refused }
    do throws(FileError) {
      try files.fault?(.link, location(path))
    } catch {
      // As if the link had failed: the caller places the file in another way, which reports a full disk.
      return .refused
    }
    guard directory.link(source.string, as: name) else { return .refused }
    return .placed(directory.status(name, ifSameAs: shared))
  }

  /// Opens the directory of a file.
  ///
  /// - Returns: Nil if there is something else in its place; otherwise also the name of the file.
  private func enterDirectory(
    of path: String
  ) throws(FileError) -> (directory: OpenDirectory, name: String)? {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    let parent = slash.map { path[..<$0] } ?? ""
    if self.parent.map({ $0.utf8.elementsEqual(parent.utf8) }) != true {
      self.parent = nil
      guard try enter(parent) else { return nil }
      self.parent = String(parent)
    }
    return (levels.last?.directory ?? root, name)
  }

  private func location(_ path: String) -> FilePath { self.path.pushing(FilePath(path)) }

  private func attemptCreate() throws(FileError) -> FileDescriptor {
    let file = FileDescriptor(
      rawValue: try files.call("write", scratchPath) {
        scratch.create(FilePlacer.temporaryName, permissions: 0o644)
      })
    files.share(file)
    return file
  }

  /// Writes the bytes of a file and closes it.
  private func fill(_ file: FileDescriptor, _ bytes: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try files.writeAll(bytes, to: file, scratchPath)
    } catch {
      try? file.close()
      throw error
    }
    try files.attempt("write", scratchPath) { try file.close() }
  }

  /// Opens a directory, creating it and those above it if they do not exist.
  ///
  /// - Returns: False if something else is in the place of one, or it cannot be created.
  private func enter(_ path: Substring) throws(FileError) -> Bool {
    let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    var shared = 0
    while shared < min(names.count, levels.count),
      names[shared].utf8.elementsEqual(levels[shared].name.utf8)
    {
      shared += 1
    }
    levels.removeSubrange(shared...)
    for (depth, name) in names.enumerated().dropFirst(shared) {
      let above = levels.last?.directory ?? root
      if let directory = above.subdirectory(name) {
        levels.append(Level(name: name, directory: directory))
        continue
      }
      try files.fault?(.create, location(names[...depth].joined(separator: "/")))
      let isNew = above.createSubdirectory(name)
      guard let directory = above.subdirectory(name) else { return false }
      if isNew { files.share(directory) }
      levels.append(Level(name: name, directory: directory))
    }
    return true
  }
}

extension FileSystem {
  /// Gives a new directory the shared permissions.
  fileprivate func share(_ directory: OpenDirectory) {
    share(FileDescriptor(rawValue: directory.descriptor))
  }
}

// Paths are relative to the directory.
extension OpenDirectory {
  /// Returns a directory in this one, not following a symbolic link; nil if it cannot be opened.
  fileprivate func subdirectory(_ name: String) -> OpenDirectory? {
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return opened < 0 ? nil : OpenDirectory(descriptor: opened)
  }

  /// Returns whether this call has created a directory.
  fileprivate func createSubdirectory(_ name: String) -> Bool {
    mkdirat(descriptor, name, 0o777) == 0
  }

  /// Returns a file descriptor of a new file, open for writing; -1 on failure.
  fileprivate func create(_ name: String, permissions: mode_t) -> CInt {
    openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
  }

  /// Returns whether there may be something with a name.
  fileprivate func mayHave(_ name: String) -> Bool {
    var buffer = stat()
    return fstatat(descriptor, name, &buffer, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  /// Moves a file to a name in another directory that nothing has; returns false on failure.
  fileprivate func move(_ name: String, toNew other: String, in directory: OpenDirectory) -> Bool {
    if cairn_rename_new(descriptor, name, directory.descriptor, other) == 0 { return true }
    let code = errno
    // Some file systems, such as NFS, cannot do that in one step.
    guard [EINVAL, ENOSYS, ENOTSUP].contains(code), !directory.mayHave(other) else { return false }
    return renameat(descriptor, name, directory.descriptor, other) == 0
  }

  /// Returns the status of a file; nil if it is not the one with another status.
  fileprivate func status(_ name: String, ifSameAs other: FileStatus) -> FileStatus? {
    guard let status = status(name), status.inode == other.inode,
      status.modified == other.modified, status.size == other.size
    else { return nil }
    return status
  }

  /// Gives a file another name that nothing has; returns false on failure.
  fileprivate func link(_ path: String, as name: String) -> Bool {
    linkat(AT_FDCWD, path, descriptor, name, 0) == 0
  }

  fileprivate func unlink(_ name: String) { unlinkat(descriptor, name, 0) }
}
