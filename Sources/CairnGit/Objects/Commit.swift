/// The author or committer of a commit, with the time.
package struct Signature: Equatable, Sendable {
  package var name: String
  package var email: String
  /// Seconds since 1970; between 1970 and 9999 in a signature that was read.
  package var time: Int64
  /// Minutes east of UTC.
  package var offset: Int

  package init(name: String, email: String, time: Int64, offset: Int = 0) {
    (self.name, self.email, self.time, self.offset) = (name, email, time, offset)
  }

  /// Milliseconds since 1970.
  package var milliseconds: Int64 { time * 1000 }

  /// The times that a signature may have: later ones have no calendar date with four digits.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799

  /// Returns the time of a signature in seconds since 1970; the nearest valid one for a time that
  /// is out of range, as a program with a broken clock writes it.
  package static func time(_ text: Substring) -> Int64 {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    let time = Int64(text) ?? (text.hasPrefix("-") ? .min : .max)
    return min(max(time, times.lowerBound), times.upperBound)
  }

  /// The signature as commits and reflogs contain it: `Name <address> seconds +hhmm`.
  var text: String {
    // Characters that would end a field are removed.
    func clean(_ text: String) -> String {
      String(
        text.unicodeScalars.filter { !"<>\n\r\0".unicodeScalars.contains($0) }.map(Character.init)
      )
      .trimmingCharacters()
    }
    // A time zone has four digits; no real offset needs more.
    let minutes = min(offset.magnitude, 99 * 60 + 59)
    let zone = (minutes / 60) * 100 + minutes % 60
    let digits = String(zone)
    return "\(clean(name)) <\(clean(email))> \(time) \(offset < 0 ? "-" : "+")"
      + String(repeating: "0", count: 4 - digits.count) + digits
  }

  init?(text: Substring) {
    guard let open = text.lastIndex(of: "<"), let close = text.lastIndex(of: ">"), open < close
    else { return nil }
    name = text[..<open].description.trimmingCharacters()
    email = String(text[text.index(after: open)..<close])
    let rest = text[text.index(after: close)...].split(separator: " ")
    time = rest.first.map(Signature.time) ?? 0
    let zone = rest.count > 1 ? Int(rest[1]) ?? 0 : 0
    offset = zone / 100 * 60 + zone % 100
  }
}

extension String {
  fileprivate func trimmingCharacters() -> String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// A commit.
package struct Commit: Equatable, Sendable {
  package var tree: ObjectID
  package var parents: [ObjectID]
  package var author: Signature
  package var committer: Signature
  package var message: String

  package init(
    tree: ObjectID, parents: [ObjectID], author: Signature, committer: Signature, message: String
  ) {
    (self.tree, self.parents, self.author) = (tree, parents, author)
    (self.committer, self.message) = (committer, message)
  }

  /// The first line of the message.
  package var summary: String {
    message.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }

  var bytes: [UInt8] {
    var text = "tree \(tree)\n"
    for parent in parents { text += "parent \(parent)\n" }
    text += "author \(author.text)\ncommitter \(committer.text)\n\n\(message)"
    if !text.hasSuffix("\n") { text += "\n" }
    return Array(text.utf8)
  }

  /// Parses a commit object; skips header lines that cairn does not use (signatures).
  init(bytes: UnsafeRawBufferPointer) throws(GitError) {
    let text = String(decoding: bytes, as: UTF8.self)
    let end = text.utf8Range(of: "\n\n") ?? text.endIndex..<text.endIndex
    var tree: ObjectID?
    var author: Signature?
    var committer: Signature?
    parents = []
    for line in text[..<end.lowerBound].split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "tree": tree = ObjectID(parts[1])
      // As in git and libgit2, a `parent` line after the author or committer is ignored.
      case "parent" where author == nil && committer == nil:
        if let parent = ObjectID(parts[1]) { parents.append(parent) }
      case "author": author = Signature(text: parts[1])
      case "committer": committer = Signature(text: parts[1])
      default: break
      }
    }
    guard let tree else { throw GitError(.corrupt, "a commit object is damaged") }
    let nobody = Signature(name: "", email: "", time: 0)
    self.tree = tree
    self.author = author ?? nobody
    self.committer = committer ?? nobody
    message = String(text[end.upperBound...])
  }
}

extension String {
  fileprivate func utf8Range(of text: StaticString) -> Range<Index>? {
    let pattern = Array(text.description.utf8)
    var index = utf8.startIndex
    while index < utf8.endIndex {
      if utf8[index...].starts(with: pattern) {
        return index..<utf8.index(index, offsetBy: pattern.count)
      }
      index = utf8.index(after: index)
    }
    return nil
  }
}

extension Repository {
  package func commit(_ id: ObjectID) throws -> Commit {
    var commit = try storedCommit(id)
    if isHistoryEnd(id) { commit.parents = [] }
    return commit
  }

  /// Returns a commit with its parents, even where the history ends here.
  func storedCommit(_ id: ObjectID) throws -> Commit {
    try withCommit(id) { try Commit(bytes: $0) }
  }

  /// Returns the tree of a commit; nil when `id` is nil.
  package func tree(ofCommit id: ObjectID?) throws -> ObjectID? {
    try id.map { id in
      try withCommit(id) { bytes in
        // git writes it first, and most callers need nothing else of the commit.
        let line = bytes.prefix(46)
        guard line.starts(with: "tree ".utf8), line.last == UInt8(ascii: "\n"),
          let tree = ObjectID(String(decoding: line.dropFirst(5).dropLast(), as: UTF8.self))
        else { return try Commit(bytes: bytes).tree }
        return tree
      }
    }
  }

  private func withCommit<Result>(
    _ id: ObjectID, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try withObject(id) { kind, bytes in
      guard kind == .commit else { throw GitError(.corrupt, "\(id) is a \(kind.rawValue)") }
      return try body(bytes)
    }
  }
}

extension ObjectWriter {
  package func write(_ commit: Commit) throws -> ObjectID { try write(.commit, commit.bytes) }
}
