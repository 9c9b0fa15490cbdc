/// The names of files and directories in git's trees.
package enum GitName {
  /// Whether git refuses a name in a tree: it names the directory itself, the one above it, or git's
  /// own, perhaps only on some file systems.
  ///
  /// Source: git's `verify_path` (read-cache.c), `is_ntfs_dotgit` (path.c) and `is_hfs_dotgit`
  /// (utf8.c).
  package static func isRefused(_ name: Substring) -> Bool { isRefused(name.utf8) }

  /// Whether git refuses a name in a path.
  package static func isRefused(inPath path: String) -> Bool {
    var start = path.utf8.startIndex
    while true {
      let end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      if isRefused(path.utf8[start..<end]) { return true }
      if end == path.utf8.endIndex { return false }
      start = path.utf8.index(after: end)
    }
  }

  private static func isRefused(_ name: Substring.UTF8View) -> Bool {
    // Most names, such as those of documents, need no further look.
    switch name.first {
    case nil: return true
    case UInt8(ascii: "."): return name.count <= 2 && name.last == UInt8(ascii: ".") || isGit(name)
    case UInt8(ascii: "g"), UInt8(ascii: "G"), 0xE2, 0xEF: return isGit(name)
    default: return false
    }
  }

  /// Whether a name is git's own: `.git` in any case, with characters that HFS+ ignores, or with what
  /// NTFS ignores behind it; or its short name on NTFS.
  private static func isGit(_ name: Substring.UTF8View) -> Bool {
    let lowercased = Substring(name).unicodeScalars
      .filter { !ignoredByHFS.contains($0.value) }
      .map { "A"..."Z" ~= $0 ? Unicode.Scalar($0.value + 32)! : $0 }
    for own in [".git", "git~1"] where lowercased.starts(with: own.unicodeScalars) {
      let rest = lowercased.dropFirst(own.unicodeScalars.count).drop { $0 == "." || $0 == " " }
      if rest.first.map({ $0 == "\\" || $0 == ":" }) ?? true { return true }
    }
    return false
  }

  private static let ignoredByHFS: Set<UInt32> = Set(0x200C...0x200F)
    .union(0x202A...0x202E).union(0x206A...0x206F).union([0xFEFF])
}
