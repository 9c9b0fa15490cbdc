/// The bytes of a commit or an annotated tag, with methods to replace single lines.
///
/// Source: gitformat-signature(5); git's commit.c, `parse_commit_buffer`.
package struct RawCommit: Equatable {
  /// The lines of the header without their line feeds; a line that begins with a space continues the
  /// one before it.
  private var header: [[UInt8]]
  /// Everything after the empty line that ends the header; nil if there is no such line.
  private var body: [UInt8]?

  package init(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    let feed = UInt8(ascii: "\n")
    header = []
    var start = 0
    while start < bytes.count, bytes[start] != feed {
      let end = bytes[start...].firstIndex(of: feed) ?? bytes.count
      header.append(Array(bytes[start..<end]))
      start = end + 1
    }
    body = start < bytes.count ? Array(bytes[(start + 1)...]) : nil
  }

  package var bytes: [UInt8] {
    let feed = UInt8(ascii: "\n")
    var out: [UInt8] = []
    for line in header { out += line + [feed] }
    if let body { out += [feed] + body }
    return out
  }

  /// The message; text that is not UTF-8 is repaired.
  package var message: String {
    get { String(decoding: body ?? [], as: UTF8.self) }
    set { body = Array(newValue.utf8) }
  }

  /// Replaces the tree and the parents of a commit, in the place of the old ones.
  package mutating func replace(tree: ObjectID, parents: [ObjectID]) {
    let old = header
    header = [Array("tree \(tree)".utf8)] + parents.map { Array("parent \($0)".utf8) }
    // As in git, a `parent` line after the author or committer names no parent.
    var isTop = true
    for line in old {
      if RawCommit.hasKey(line, "author") || RawCommit.hasKey(line, "committer") { isTop = false }
      if isTop, RawCommit.hasKey(line, "tree") || RawCommit.hasKey(line, "parent") { continue }
      header.append(line)
    }
  }

  /// Replaces the object that a tag names.
  package mutating func replace(object: ObjectID) {
    guard let index = header.firstIndex(where: { RawCommit.hasKey($0, "object") }) else { return }
    header[index] = Array("object \(object)".utf8)
  }

  /// Replaces the name and the address of authors, committers and taggers; their times stay.
  ///
  /// - Parameter replacement: Returns the new address for an address, or nil to keep both.
  package mutating func replaceIdentities(
    name: String, _ replacement: (_ address: String) -> String?
  ) {
    for index in header.indices {
      let line = header[index]
      guard
        let key = ["author", "committer", "tagger"].first(where: { RawCommit.hasKey(line, $0) }),
        let open = line.lastIndex(of: UInt8(ascii: "<")),
        let close = line.lastIndex(of: UInt8(ascii: ">")), open < close,
        let address = replacement(String(decoding: line[(open + 1)..<close], as: UTF8.self))
      else { continue }
      header[index] = Array("\(key) \(name) <\(address)".utf8) + line[close...]
    }
  }

  /// Removes signatures and the signed tags of merges: they are not valid for other contents.
  package mutating func removeSignatures() {
    var isRemoved = false
    header.removeAll { line in
      if line.first != UInt8(ascii: " ") {
        isRemoved = ["gpgsig", "gpgsig-sha256", "mergetag"].contains { RawCommit.hasKey(line, $0) }
      }
      return isRemoved
    }
  }

  /// Removes the signature of a tag, which git appends to its message.
  package mutating func removeTagSignature() {
    let text = message
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard
      let start = lines.firstIndex(where: {
        $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("SIGNATURE-----")
          || $0 == "-----BEGIN PGP MESSAGE-----" || $0 == "-----BEGIN SIGNED MESSAGE-----"
      })
    else { return }
    message = lines[..<start].map { $0 + "\n" }.joined()
  }

  private static func hasKey(_ line: [UInt8], _ key: String) -> Bool {
    line.starts(with: key.utf8) && line.dropFirst(key.utf8.count).first == UInt8(ascii: " ")
  }
}

extension RawCommit {
  /// The object that a tag names, and its kind; nil for a commit.
  package var tagged: (id: ObjectID, kind: String)? {
    func value(_ key: String) -> String? {
      header.first { RawCommit.hasKey($0, key) }.map {
        String(decoding: $0.dropFirst(key.utf8.count + 1), as: UTF8.self)
      }
    }
    guard let id = value("object").flatMap({ ObjectID($0) }), let kind = value("type") else {
      return nil
    }
    return (id, kind)
  }
}

extension ObjectWriter {
  /// Writes a tree with entries in any order.
  package func write(treeOf entries: [Tree.Entry]) throws -> ObjectID {
    try write(.tree, Tree(entries: entries.sorted()).bytes)
  }
}
