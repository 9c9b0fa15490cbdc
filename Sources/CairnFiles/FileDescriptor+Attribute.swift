internal import CFiles
package import SystemPackage

/// Extended attributes: short values that a file keeps with its bytes, where its file system can. On
/// macOS, a file is taken to have none.
extension FileDescriptor {
  /// Returns the value of an attribute, such as `user.name`; nil unless it has `count` bytes.
  package func attribute(_ name: String, count: Int) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: count)
    return cairn_attribute(rawValue, name, &value, UInt(count)) == count ? value : nil
  }

  /// Sets an attribute of a file that this user may write, whatever the descriptor is open for; does
  /// nothing where that is not possible.
  package func setAttribute(_ name: String, to value: [UInt8]) {
    _ = cairn_set_attribute(rawValue, name, value, UInt(value.count))
  }
}
