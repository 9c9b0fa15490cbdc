internal import CairnGit
internal import CairnStore

/// The `.gitattributes` of a dataset: images are Git LFS pointers, documents are merged by cairn
/// and their line endings never change.
enum GitAttributes {
  static let path = ".gitattributes"

  /// Returns the attributes of a repository with those of a dataset added.
  static func adding(to bytes: [UInt8]) -> [UInt8] {
    let end = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? "" : "\n"
    return bytes + Array((end + missing(in: bytes).map { $0 + "\n" }.joined()).utf8)
  }

  /// Returns the lines of a dataset's attributes that those of a repository lack.
  static func missing(in bytes: [UInt8]) -> [Substring] {
    let lines = Set(String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline))
    return text.split(separator: "\n").filter { !lines.contains($0) }
  }

  /// Returns the attributes of a repository with the line for erasures, which a dataset without any
  /// need not have.
  static func addingErasures(to bytes: [UInt8]) -> [UInt8] {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    if lines.contains(where: { $0 == erasures }) { return bytes }
    let end = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? "" : "\n"
    return bytes + Array("\(end)\(erasures)\n".utf8)
  }

  private static let erasures = "/erasures/** merge=cairn diff=cairn -text"

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

/// The state of a dataset's `.gitattributes`.
package enum AttributesState: Sendable {
  case complete
  /// The last commit lacks lines that cairn adds to a dataset.
  case removed
  /// The work tree lacks them, the last commit does not.
  case removedHere
}

extension Replica {
  var committedAttributes: [UInt8] {
    get throws { try repository.file(at: GitAttributes.path, in: headTree()) ?? [] }
  }

  /// Returns whether git has all attributes that it needs in a dataset.
  package func attributesState() throws -> AttributesState {
    if try repository.head() == nil { return .complete }
    if try !GitAttributes.missing(in: committedAttributes).isEmpty { return .removed }
    // git reads them from its index when the work tree has no such file.
    let working = try directory.read(GitAttributes.path)
    return working.map { GitAttributes.missing(in: $0).isEmpty } ?? true ? .complete : .removedHere
  }

  /// Commits the lines of `.gitattributes` that another tool has removed.
  func restoreAttributes(_ session: EditSession) throws -> [Fixup] {
    guard let head = try repository.head(), try attributesState() == .removed else { return [] }
    var fixups = CommitFixups()
    fixups.documents[GitAttributes.path] = (
      GitAttributes.adding(to: try committedAttributes), .restored
    )
    _ = try checkOut(
      try commitWithFixups(head, by: fixups), from: head, reason: "restore .gitattributes",
      session: session)
    return fixups.list
  }
}
