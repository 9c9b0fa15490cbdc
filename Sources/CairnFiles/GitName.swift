internal import LibC

/// The names of files and directories in git's trees.
package enum GitName {
  /// Whether git refuses a name in a tree: it names the directory itself, the one above it, or git's
  /// own, perhaps only on some file systems; or it has a slash.
  ///
  /// Source: git's `verify_path` (read-cache.c), `is_ntfs_dotgit` (path.c) and `is_hfs_dotgit`
  /// (utf8.c).
  package static func isRefused(_ name: Substring) -> Bool {
    isRefused(name.utf8) || hasOtherBytes(name) && hasSlash(name)
  }

  /// Whether git refuses a name in a path.
  package static func isRefused(inPath path: String) -> Bool {
    if mayHaveOtherBytes(path), hasSlash(path[...]) { return true }
    if !mayBeRefused(inPath: path) { return false }
    var start = path.utf8.startIndex
    while true {
      let end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      if isRefused(path.utf8[start..<end]) { return true }
      if end == path.utf8.endIndex { return false }
      start = path.utf8.index(after: end)
    }
  }

  private static func isRefused(_ name: Substring.UTF8View) -> Bool {
    let mayBeRefused = name.withContiguousStorageIfAvailable {
      mayBeginRefusedName(UnsafeRawBufferPointer($0)[...])
    }
    guard mayBeRefused ?? true else { return false }
    guard let first = name.first else { return true }
    if first == UInt8(ascii: "."), name.count <= 2, name.last == first { return true }
    return isGit(name)
  }

  /// Whether a name in a path may be refused, or is empty.
  private static func mayBeRefused(inPath path: String) -> Bool {
    var path = path
    return path.withUTF8 { mayBeRefused(inPath: UnsafeRawBufferPointer($0)) }
  }

  /// Whether a name in a path, given as its bytes in git, may be refused.
  package static func mayBeRefused(inPath path: UnsafeRawBufferPointer) -> Bool {
    let separator = UInt8(ascii: "/")
    var rest = path[...]
    while !mayBeginRefusedName(rest) {
      guard
        let slash = memchr(path.baseAddress! + rest.startIndex, CInt(separator), rest.count)
      else { return false }
      rest = path[(UnsafeRawPointer(slash) - path.baseAddress! + 1)...]
    }
    return true
  }

  /// Whether the name at the beginning of a path may be refused, or is empty. Most names, such as those
  /// of documents, need no further look.
  private static func mayBeginRefusedName(_ path: Slice<UnsafeRawBufferPointer>) -> Bool {
    let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
    guard let first = path.first, first != slash else { return true }
    if first != dot { return mayBegin(path, "git~") }
    guard let second = path.dropFirst().first, second != slash, second != dot else { return true }
    return mayBegin(path.dropFirst(), "git")
  }

  /// Whether text begins with a word in any case, if it has none of the characters that HFS+ ignores; they
  /// begin with one of two bytes.
  private static func mayBegin(_ text: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool
  {
    for offset in 0..<word.utf8CodeUnitCount {
      guard offset < text.count else { return false }
      let byte = text[text.startIndex + offset]
      if byte == 0xE2 || byte == 0xEF { return true }
      if byte | 0x20 != word.utf8Start[offset] { return false }
    }
    return true
  }

  /// Whether a name is git's own: `.git` in any case, with characters that HFS+ ignores, or with what
  /// NTFS ignores behind it; or its short name on NTFS.
  private static func isGit(_ name: Substring.UTF8View) -> Bool {
    let lowercased = Substring(name).unicodeScalars
      .map { "A"..."Z" ~= $0 ? Unicode.Scalar($0.value + 32)! : $0 }
    let own = ".git".unicodeScalars
    if lowercased.lazy.filter({ !ignoredByHFS.contains($0.value) }).elementsEqual(own) {
      return true
    }
    return [own, "git~1".unicodeScalars].contains { own in
      guard lowercased.starts(with: own) else { return false }
      let rest = lowercased.dropFirst(own.count).drop { $0 == "." || $0 == " " }
      return rest.first.map { $0 == "\\" || $0 == ":" } ?? true
    }
  }

  private static let ignoredByHFS: Set<UInt32> = Set(0x200C...0x200F)
    .union(0x202A...0x202E).union(0x206A...0x206F).union([0xFEFF])
}

// A name in git is any bytes, while cairn's paths are text. Each byte that is not part of UTF-8 becomes
// one of the private-use characters U+EF80–U+EFFF, so that every name has a text, and no two have the
// same. The three bytes of such a character in a name become three of them. So that a path is that of one
// file, a slash in a name becomes U+EF2F.
extension GitName {
  static let slash: Unicode.Scalar = "\u{EF2F}"

  private static func hasSlash(_ text: Substring) -> Bool { text.unicodeScalars.contains(slash) }

  /// Returns the name of an entry of a tree as text.
  package static func text(ofEntry name: UnsafeRawBufferPointer) -> String {
    let text = text(name)
    guard let start = name.baseAddress, memchr(start, CInt(UInt8(ascii: "/")), name.count) != nil
    else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "/" ? slash : $0 }))
  }

  /// Returns a name or a path as text.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    if case let text?? = bytes.withContiguousStorageIfAvailable(ascii) { return text }
    if let text = String(validating: bytes, as: UTF8.self), !mayHaveOtherBytes(text) { return text }
    var text = String.UnicodeScalarView()
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let found = (1...4).lazy.compactMap { scalar(rest.prefix($0)) }.first
      text.append(found ?? Unicode.Scalar(0xEF00 + UInt16(first))!)
      rest = rest.dropFirst(found.map { UTF8.width($0) } ?? 1)
    }
    return String(text)
  }

  /// Returns a name that is ASCII, as nearly all are, without a closer look; nil for others.
  private static func ascii(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let all: UInt8 = bytes.reduce(0, |)
    return all < 0x80 ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Returns the bytes of a name or a path, given as text.
  package static func bytes(_ text: String) -> [UInt8] {
    if !mayHaveOtherBytes(text) { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      isOtherByte(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(UTF8.encode(scalar)!)
    }
  }

  /// Whether a name or a path, given as text, is not UTF-8.
  package static func hasOtherBytes(_ text: Substring) -> Bool {
    text.utf8.contains(leadOfOtherBytes) && text.unicodeScalars.contains(where: isOtherByte)
  }

  /// The first byte of the characters that stand for other bytes, in UTF-8. A text without it is the
  /// name itself.
  package static let leadOfOtherBytes: UInt8 = 0xEE

  package static func mayHaveOtherBytes(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.baseAddress.map { memchr($0, CInt(leadOfOtherBytes), bytes.count) != nil } ?? false
    }
  }

  private static func isOtherByte(_ scalar: Unicode.Scalar) -> Bool {
    0xEF80...0xEFFF ~= scalar.value || scalar == slash
  }

  /// Returns the character that bytes are in UTF-8; nil when they are none, or several.
  private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let text = String(validating: bytes, as: UTF8.self)?.unicodeScalars, text.count == 1,
      !isOtherByte(text.first!)
    else { return nil }
    return text.first
  }
}
