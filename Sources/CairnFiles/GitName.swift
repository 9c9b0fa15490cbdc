/// The names of files and directories in git's trees.
package enum GitName {
  /// Whether git refuses a name in a tree, as `git fsck` does: it names the directory itself, the
  /// one above it, or git's own, perhaps only on some file systems.
  package static func isRefused(_ name: Substring) -> Bool {
    if isPlain(name) { return false }
    if name.isEmpty || name == "." || name == ".." { return true }
    // HFS+ ignores some code points; NTFS ignores trailing dots and spaces and has short names.
    let plain = name.lowercased().unicodeScalars.filter { $0.isASCII }.map { Character($0) }
    var text = String(plain)
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    return text == ".git" || text == "git~1" || text.hasPrefix(".git:")
  }

  /// Whether git refuses a name in a path.
  package static func isRefused(inPath path: String) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).contains(where: isRefused)
  }

  /// Returns whether a name has only characters that no file system folds or drops, as most names
  /// do.
  private static func isPlain(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "."), !name.hasSuffix(".") else {
      return false
    }
    return name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
      default: false
      }
    }
  }
}
