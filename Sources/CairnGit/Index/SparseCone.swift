internal import CairnBase
internal import CairnFiles
internal import SystemPackage

/// The subset of a repository's files that is in its work tree: git's sparse checkout in cone mode.
///
/// Some directories are included with everything below them; of their parents, up to the root, only
/// the direct files are included. Source: git-sparse-checkout, “INTERNALS — CONE MODE HANDLING”.
package struct SparseCone: Equatable, Sendable {
  /// The directories included as a whole, without trailing “/”.
  package let directories: Set<String>
  /// Their parent directories; the root is “”.
  private let parents: Set<String>

  package init(directories: some Sequence<String>) {
    let wanted = Set(directories)
    // A directory below one that is included as a whole needs no entry of its own.
    let outermost = wanted.filter { name in
      !SparseCone.ancestors(of: name).contains(where: wanted.contains)
    }
    self.directories = outermost
    parents = Set(outermost.flatMap(SparseCone.ancestors)).union([""])
  }

  /// Returns whether the file at `path` is in the work tree.
  package func contains(_ path: String) -> Bool { collapsedDirectory(of: path) == nil }

  /// Returns whether everything below a directory is in the work tree.
  package func containsAll(below directory: String) -> Bool {
    directories.contains(directory)
      || SparseCone.ancestors(of: directory).contains(where: directories.contains)
  }

  /// Returns the outermost directory that contains `path` and is not in the work tree; nil when the
  /// file at `path` is in the work tree.
  package func collapsedDirectory(of path: String) -> String? {
    for directory in SparseCone.ancestors(of: path).dropFirst() {
      if directories.contains(directory) { return nil }
      if !parents.contains(directory) { return directory }
    }
    return nil
  }

  /// Returns the directories that contain `path`, starting at the root.
  static func ancestors(of path: String) -> [String] {
    [""] + path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}

// MARK: Pattern file

extension SparseCone {
  /// Parses the patterns of `info/sparse-checkout`; returns nil when they are not cone-mode
  /// patterns.
  init?(patterns text: String) {
    var lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }[...]
    guard lines.popFirst() == "/*", lines.popFirst() == "!/*/" else { return nil }
    var (whole, parents): (Set<String>, Set<String>) = ([], [])
    for line in lines {
      if line.hasPrefix("!/"), line.hasSuffix("/*/") {
        parents.insert(SparseCone.unquoted(line.dropFirst(2).dropLast(3)))
      } else if line.hasPrefix("/"), line.hasSuffix("/"), line.count > 2 {
        whole.insert(SparseCone.unquoted(line.dropFirst().dropLast()))
      } else {
        return nil
      }
    }
    self.init(directories: whole.subtracting(parents))
  }

  /// The patterns, as `git sparse-checkout set` writes them.
  var patterns: String {
    var lines = ["/*", "!/*/"]
    for parent in parents.sorted() where !parent.isEmpty {
      let name = SparseCone.quoted(parent)
      lines += ["/\(name)/", "!/\(name)/*/"]
    }
    lines += directories.sorted().map { "/\(SparseCone.quoted($0))/" }
    return lines.map { $0 + "\n" }.joined()
  }

  private static let special = Set<Character>("*?[]\\")

  private static func quoted(_ name: String) -> String {
    name.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }

  private static func unquoted(_ text: Substring) -> String {
    var name = ""
    var isQuoted = false
    for character in text {
      if character == "\\", !isQuoted {
        isQuoted = true
      } else {
        name.append(character)
        isQuoted = false
      }
    }
    return name
  }
}

extension Repository {
  /// Returns the sparse checkout; nil when everything is checked out.
  ///
  /// - Throws: ``GitError`` when the patterns are not cone-mode patterns.
  package func sparseCone() throws -> SparseCone? {
    guard try workTreeConfiguration("core.sparseCheckout").map(isTrue) ?? false,
      let bytes = try files.read(conePath)
    else { return nil }
    guard let cone = SparseCone(patterns: String(decoding: bytes, as: UTF8.self)) else {
      let present = try readIndex().entries.filter { !$0.isSkipped && $0.path.contains("/") }
      let directories = Set(present.map { String($0.path.prefix { $0 != "/" }) }).sorted()
      throw GitError(
        .unsupported, "the sparse checkout is not in cone mode, which cairn needs",
        remedy: (["git sparse-checkout set --cone"] + directories.map(shellArgument))
          .joined(separator: " "))
    }
    return cone
  }

  /// Records the sparse checkout where git also reads it; nil for a full checkout. Moves no files.
  package func setSparseCone(_ cone: SparseCone?) throws {
    guard let cone else { return try setWorkTreeConfiguration([("core.sparseCheckout", "false")]) }
    try files.createDirectory(above: conePath)
    try files.write(Array(cone.patterns.utf8), to: conePath, temporary: temporaryFile("cone"))
    try setWorkTreeConfiguration(
      ["core.sparseCheckout", "core.sparseCheckoutCone", "index.sparse"].map { ($0, "true") })
  }

  private var conePath: FilePath { gitDirectory.pushing("info/sparse-checkout") }
}
