internal import LibC
package import SystemPackage

extension FileSystem {
  /// Whether a path is on a file system that is known to change the times of a directory with each
  /// change of its names: those of a network, or of a user's program, may not.
  package func keepsDirectoryTimes(_ path: FilePath) -> Bool {
    let known: Set = [
      "apfs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "hfs", "overlay", "tmpfs", "xfs", "zfs",
    ]
    return kind(path).map(known.contains) ?? false
  }

  /// Whether `syncfs` makes all that was written to the file system of a path durable, and reports each
  /// failed write. FAT does not empty the cache of the disk, and a network or a user's program may only
  /// send what was written.
  func syncsTogether(_ path: FilePath) -> Bool {
    kind(path).map(["btrfs", "ext3", "ext4", "f2fs", "tmpfs", "xfs", "zfs"].contains) ?? false
  }

  /// Returns the kind of the file system of a path, such as `ext4`; nil if it is unknown.
  ///
  /// Source: proc(5), “/proc/pid/mountinfo”.
  private func kind(_ path: FilePath) -> String? {
    #if canImport(Darwin)
      var buffer = statfs()
      guard statfs(path.string, &buffer) == 0 else { return nil }
      return withUnsafeBytes(of: buffer.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    #else
      // The file has no size, by which `read(_:limit:)` reads.
      var mounts: [UInt8] = []
      guard let path = resolve(path)?.string,
        (try? forEachPiece(of: "/proc/self/mountinfo") { mounts += $0 }) != nil
      else { return nil }
      var found: (point: String, kind: String)?
      for line in mounts.split(separator: 0x0A) {
        let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard fields.count > 4, let separator = fields.firstIndex(of: "-"),
          separator + 1 < fields.count
        else { continue }
        let point = unescaped(fields[4])
        guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
        // A later mount hides an earlier one at the same path.
        if point.utf8.count >= found?.point.utf8.count ?? 0 {
          found = (point, String(fields[separator + 1]))
        }
      }
      return found?.kind
    #endif
  }

  /// Returns a path of the list of mounts, in which spaces and some other characters are octal numbers.
  private func unescaped(_ text: Substring) -> String {
    [("040", " "), ("011", "\t"), ("012", "\n"), ("134", "\\")].reduce(String(text)) {
      $0.split(separator: "\\" + $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
    }
  }
}
