internal import CXAttr
package import SystemPackage

/// Extended attributes: short values that a file keeps with its bytes, where its file system can. On
/// macOS, a file is taken to have none: on a disk without them, each would become another file.
extension FileDescriptor {
  /// Returns the value of an attribute, such as `user.name`; nil unless it has `count` bytes.
  package func attribute(_ name: String, count: Int) -> [UInt8]? {
    #if canImport(Darwin)
      return nil
    #else
      var value = [UInt8](repeating: 0, count: count)
      return fgetxattr(rawValue, name, &value, count) == count ? value : nil
    #endif
  }

  /// Sets an attribute of a file that this user may write, whatever the descriptor is open for; does
  /// nothing where that is not possible.
  package func setAttribute(_ name: String, to value: [UInt8]) {
    #if !canImport(Darwin)
      _ = fsetxattr(rawValue, name, value, value.count, 0)
    #endif
  }
}
