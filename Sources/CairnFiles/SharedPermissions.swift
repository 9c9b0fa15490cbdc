internal import LibC
package import SystemPackage

/// The permissions of new files and directories in a repository that several users share.
///
/// Source: git-config(1), “core.sharedRepository”; git's path.c, `calc_shared_perm` and
/// `adjust_shared_perm`.
package struct SharedPermissions: Sendable {
  private let bits: mode_t
  /// Whether the bits replace the permissions that the user's umask leaves.
  private let replaces: Bool

  /// - Parameter value: The value of `core.sharedRepository`.
  /// - Returns: Nil if the repository is not shared.
  package init?(_ value: String) {
    switch value {
    case "group", "true", "yes", "on", "1": (bits, replaces) = (0o660, false)
    case "all", "world", "everybody", "2": (bits, replaces) = (0o664, false)
    default:
      guard let mode = UInt16(value, radix: 8), mode & 0o600 == 0o600 else { return nil }
      (bits, replaces) = (mode_t(mode & 0o666), true)
    }
  }

  /// Returns the permissions for a file or directory that has `mode` now.
  func permissions(_ mode: mode_t) -> mode_t {
    var bits = self.bits
    if mode & 0o200 == 0 { bits &= ~0o222 }
    if mode & 0o100 != 0 { bits |= (bits & 0o444) >> 2 }
    var result = replaces ? (mode & ~0o777) | bits : mode | bits
    if mode & S_IFMT == S_IFDIR {
      result |= (result & 0o444) >> 2
      if result & 0o060 != 0 { result |= 0o2000 }
    }
    return result & 0o7777
  }
}

extension FileSystem {
  /// Gives the open file the shared permissions. As in git, the file of another user keeps its own.
  func share(_ file: FileDescriptor) {
    guard let sharing else { return }
    var buffer = stat()
    guard fstat(file.rawValue, &buffer) == 0 else { return }
    let permissions = sharing.permissions(buffer.st_mode)
    if permissions != buffer.st_mode & 0o7777 { fchmod(file.rawValue, permissions) }
  }

  /// Gives a file that another library wrote the shared permissions.
  package func share(_ path: FilePath) {
    guard let sharing else { return }
    var buffer = stat()
    guard lstat(path.string, &buffer) == 0, buffer.st_mode & S_IFMT == S_IFREG else { return }
    let permissions = sharing.permissions(buffer.st_mode)
    if permissions != buffer.st_mode & 0o7777 { chmod(path.string, permissions) }
  }
}
