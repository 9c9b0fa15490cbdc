/// The `.gitattributes` of a dataset: images are Git LFS pointers, documents are merged by cairn
/// and their line endings never change.
enum GitAttributes {
  static let path = ".gitattributes"

  /// Returns the attributes of a repository with those of a dataset added.
  static func adding(to bytes: [UInt8]) -> [UInt8] {
    let old = String(decoding: bytes, as: UTF8.self)
    let lines = Set(old.split(whereSeparator: \.isNewline).map(String.init))
    let missing = text.split(separator: "\n").filter { !lines.contains(String($0)) }
    let end = old.isEmpty || old.hasSuffix("\n") ? "" : "\n"
    return bytes + Array((end + missing.map { $0 + "\n" }.joined()).utf8)
  }

  static let text = """
    /images/** filter=lfs diff=lfs merge=lfs -text
    /cairn.json merge=cairn diff=cairn -text
    /classes/** merge=cairn diff=cairn -text
    /labels/** merge=cairn diff=cairn -text
    /photos/** merge=cairn diff=cairn -text
    /pins/** merge=cairn diff=cairn -text
    /runs/** merge=cairn diff=cairn -text

    """
}
