internal import LibC
package import SystemPackage

extension FileSystem {
  /// Returns the number of bytes that this user can still write on the disk of `path`.
  package func freeBytes(_ path: FilePath) throws(FileError) -> Int64 {
    var buffer = statvfs()
    try call("measure", path) { statvfs(path.string, &buffer) }
    return Int64(clamping: UInt64(buffer.f_bavail) &* UInt64(buffer.f_frsize))
  }
}
