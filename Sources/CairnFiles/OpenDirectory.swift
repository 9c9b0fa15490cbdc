internal import LibC
package import SystemPackage

/// An open directory, below which files are found by relative paths. Such a path costs neither a copy
/// nor the search of what is above the directory: for the many files of a work tree.
package final class OpenDirectory: Sendable {
  let descriptor: CInt

  /// Takes an open file descriptor of a directory.
  init(descriptor: CInt) { self.descriptor = descriptor }

  /// Opens a directory; returns nil if that is not possible.
  package init?(_ path: FilePath) {
    descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Returns the status of a file, not following a symbolic link; nil when it does not exist or its
  /// status cannot be read.
  package func status(_ path: UnsafePointer<CChar>) -> FileStatus? {
    var buffer = stat()
    guard fstatat(descriptor, path, &buffer, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return FileStatus(buffer)
  }

  /// Returns the fingerprint of the names in a directory; nil when it cannot be read, or its file
  /// system does not say which names are directories.
  package func fingerprint(_ path: UnsafePointer<CChar>) -> DirectoryFingerprint? {
    let opened = openat(descriptor, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    guard let directory = fdopendir(opened) else {
      close(opened)
      return nil
    }
    defer { closedir(directory) }
    var fingerprint = DirectoryFingerprint()
    while true {
      errno = 0
      guard let entry = readdir(directory) else { return errno == 0 ? fingerprint : nil }
      let type = Int(entry.pointee.d_type)
      if type == Int(DT_UNKNOWN) { return nil }
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
          if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return }
          fingerprint.add(bytes, isDirectory: type == Int(DT_DIR))
        }
      }
    }
  }
}
