internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// Rewrites a history so that no version of a document has erased facts.
///
/// The result is a pure function of the commits and the facts. Each commit becomes one commit, and
/// one that has none of the facts, like all commits before it, stays the same. Rewriting twice is
/// rewriting once, and rewriting with some facts and then with others is rewriting with all of them.
final class HistoryRewrite {
  let facts: ErasedFacts
  private let eraser: FactEraser
  private let repository: Repository
  private let writer: any ObjectWriter
  /// Commits that stay the same, with everything before them, or whose results are known, with those
  /// of everything before them.
  private var known: [ObjectID]
  /// The results for commits and tags.
  private(set) var results: [ObjectID: ObjectID] = [:]
  /// The trees of new commits, which may not be readable yet.
  private var newTrees: [ObjectID: ObjectID] = [:]
  private var trees: [TreeKey: ObjectID?] = [:]
  private var files: [TreeKey: ObjectID?] = [:]
  /// The files that were changed or left out, of all trees.
  private(set) var erasedFiles: Set<ObjectID> = []
  /// The tags in the names of labels that are not of an erased person.
  private var otherTags: Set<String> = []
  private lazy var targets = Targets(facts.photos)
  /// What ``takeCounts()`` has returned so far.
  private var taken = (commits: 0, documents: 0)

  /// - Parameters:
  ///   - clean: Commits that are known to stay the same, with everything before them.
  ///   - isDryRun: Whether to compute the ids of new objects without writing them.
  init(
    _ facts: ErasedFacts, in repository: Repository, clean: [ObjectID] = [], isDryRun: Bool = false
  ) {
    (self.facts, self.repository, known) = (facts, repository, clean)
    eraser = FactEraser(facts)
    writer = isDryRun ? HashingObjectWriter() : AdaptiveObjectWriter(repository)
  }

  /// Returns what a commit or a tag becomes; call ``finish()`` before it is read.
  func rewritten(_ id: ObjectID) throws -> ObjectID {
    if facts.isEmpty { return id }
    if let known = results[id] { return known }
    let kind = try repository.withObject(id) { kind, _ in kind }
    switch kind {
    case .commit:
      try repository.walk(from: [id], excluding: known, oldestFirst: true) { commit in
        if results[commit] == nil { results[commit] = try rewrittenCommit(commit) }
        return true
      }
      let result = results[id] ?? id
      results[id] = result
      known += Set([id, result])
      return result
    case .tag: results[id] = try rewrittenTag(id)
    case .tree: results[id] = try erasedTree(id, .root) ?? writer.write(.tree, [])
    case .blob: break
    }
    return results[id] ?? id
  }

  /// The number of commits that became other ones.
  var changedCommits: Int { results.count { $0.key != $0.value } }

  /// Returns the numbers of changed commits and of erased files since the last call.
  func takeCounts() -> (commits: Int, documents: Int) {
    let total = (commits: changedCommits, documents: erasedFiles.count)
    defer { taken = total }
    return (total.commits - taken.commits, total.documents - taken.documents)
  }

  /// Makes everything that was written durable and readable.
  func finish() throws { try writer.finish() }

  // MARK: Commits

  private func rewrittenCommit(_ id: ObjectID) throws -> ObjectID {
    let original = RawCommit(bytes: try repository.withObject(id) { Array($1) })
    let commit = try repository.commit(id)
    var parents = commit.parents.map { results[$0] ?? $0 }
    let tree = try erasedTree(commit.tree, .root) ?? writer.write(.tree, [])
    var raw = original
    if Replica.isOwnMerge(commit), parents != commit.parents {
      // As cairn would write it, so that a copy that merges the rewritten commits writes the same.
      if parents[0] == parents[1], try self.tree(of: parents[0]) == tree { return parents[0] }
      parents.sort()
      let verb = commit.summary.prefix { $0 != " " }
      raw.message = Replica.mergeSummary(parents, verb: String(verb)) + "\n"
    } else if let parent = commit.parents.first, parents != commit.parents,
      Replica.isFixup(commit, of: parent)
    {
      raw.message = Replica.fixupSummary(parents[0]) + "\n"
    }
    if parents != commit.parents || tree != commit.tree {
      raw.replace(tree: tree, parents: parents)
    }
    erasePeople(in: &raw)
    if raw == original { return id }
    guard !repository.historyEnds.contains(id) else {
      throw GitError(
        .unsupported,
        "facts cannot be erased from \(id.short), with which the history here begins; clone a complete "
          + "copy, and add documents there that you have not pushed")
    }
    raw.removeSignatures()
    let new = try writer.write(.commit, raw.bytes)
    newTrees[new] = tree
    return new
  }

  private func tree(of commit: ObjectID) throws -> ObjectID? {
    try newTrees[commit] ?? repository.tree(ofCommit: commit)
  }

  private func rewrittenTag(_ id: ObjectID) throws -> ObjectID {
    let original = RawCommit(bytes: try repository.withObject(id) { Array($1) })
    var raw = original
    if let (object, kind) = raw.tagged, kind != "blob" {
      let new = try rewritten(object)
      if new != object { raw.replace(object: new) }
    }
    erasePeople(in: &raw)
    if raw == original { return id }
    raw.removeSignatures()
    raw.removeTagSignature()
    return try writer.write(.tag, raw.bytes)
  }

  private func erasePeople(in raw: inout RawCommit) {
    if facts.people.isEmpty { return }
    raw.replaceIdentities(name: HistoryRewrite.erasedName) { eraser.replacement(ofAddress: $0) }
    let message = raw.message
    let erased = eraser.erasedMessage(message)
    if erased != message { raw.message = erased }
  }

  /// The name that takes the place of an erased person's in commits.
  static let erasedName = "erased"

  // MARK: Trees

  /// The directory of a dataset that a tree is in. What a tree becomes depends on nothing else.
  private enum Scope: Hashable {
    case root
    /// `photos`, or a directory `depth` levels below it.
    case photos(depth: Int)
    /// `labels`, or a directory `depth` levels below it.
    case labels(depth: Int)
    /// `runs` or `erasures`, or a directory below it.
    case records(String)
    /// Not of the dataset.
    case other
  }

  private struct TreeKey: Hashable {
    let id: ObjectID
    let scope: Scope
  }

  /// The directories of photos with erased facts, without which no others are read.
  private struct Targets {
    var prefixes: [Set<String>] = [[], []]

    init(_ photos: Set<PhotoID>) {
      for photo in photos {
        let text = photo.description
        prefixes[0].insert(String(text.prefix(2)))
        prefixes[1].insert(String(text.dropFirst(2).prefix(2)))
      }
    }
  }

  /// Returns what a tree becomes; nil if nothing is left of it.
  private func erasedTree(_ id: ObjectID, _ scope: Scope) throws -> ObjectID? {
    let key = TreeKey(id: id, scope: scope)
    if let known = trees[key] { return known }
    var entries: [Tree.Entry] = []
    var added: [String: [ObjectID]] = [:]
    var isChanged = false
    for entry in try repository.tree(id).entries {
      guard let new = try erasedEntry(entry, scope) else {
        isChanged = true
        continue
      }
      if new == entry {
        entries.append(entry)
      } else {
        isChanged = true
        // Another label may have this name already.
        if new.name != entry.name {
          added[new.name, default: []].append(new.node.id)
        } else {
          entries.append(new)
        }
      }
    }
    for (name, labels) in added { try add(labels, named: name, to: &entries) }
    var result: ObjectID? = id
    if isChanged { result = entries.isEmpty ? nil : try writer.write(treeOf: entries) }
    trees[key] = .some(result)
    return result
  }

  /// Adds labels of an erased person to a tree, joined with one of the same name.
  private func add(_ labels: [ObjectID], named name: String, to entries: inout [Tree.Entry]) throws
  {
    var labels = labels
    if let index = entries.firstIndex(where: { $0.name == name }) {
      if [.file, .executable].contains(entries[index].node.mode) {
        labels.append(entries[index].node.id)
      }
      entries.remove(at: index)
    }
    var id = labels[0]
    if labels.count > 1 {
      let versions = try labels.map { try newBlobs[$0] ?? repository.blob($0) }
      let valid = versions.compactMap { try? JSON(bytes: $0) }
      let joined = valid.dropFirst().reduce(valid.first) { $0?.joined(with: $1) }
      id = try writer.write(.blob, joined?.canonicalBytes ?? [])
    }
    entries.append(Tree.Entry(name: name, node: TreeNode(.file, id)))
  }

  /// The bytes of new labels, which may not be readable yet.
  private var newBlobs: [ObjectID: [UInt8]] = [:]

  /// Returns what an entry of a tree becomes; nil if nothing is left of it.
  private func erasedEntry(_ entry: Tree.Entry, _ scope: Scope) throws -> Tree.Entry? {
    switch entry.node.mode {
    case .directory:
      guard let inner = directoryScope(entry.name, scope) else { return entry }
      if case .labels(depth: 2) = scope, let photo = PhotoID(entry.name),
        facts.metadata.contains(photo)
      {
        for label in try repository.tree(entry.node.id).entries {
          erasedFiles.insert(label.node.id)
        }
        return nil
      }
      guard let id = try erasedTree(entry.node.id, inner) else { return nil }
      return entry.replacing(id)
    case .file, .executable: return try erasedFile(entry, scope)
    case .symlink, .submodule: return entry
    }
  }

  /// Returns the scope of a directory; nil if nothing in it can have erased facts.
  private func directoryScope(_ name: String, _ scope: Scope) -> Scope? {
    let hasPeople = !facts.people.isEmpty
    switch scope {
    case .root:
      switch name {
      case "photos": return facts.photos.isEmpty ? nil : .photos(depth: 0)
      case "labels": return facts.metadata.isEmpty && !hasPeople ? nil : .labels(depth: 0)
      case "runs", "erasures": return hasPeople ? .records(name) : nil
      case "images", "classes", "pins": return nil
      default: return .other
      }
    case .photos(let depth):
      if depth < 2, !targets.prefixes[depth].contains(name) { return nil }
      return .photos(depth: depth + 1)
    case .labels(let depth):
      if depth < 2, !hasPeople, !targets.prefixes[depth].contains(name) { return nil }
      if depth == 2, !hasPeople, PhotoID(name).map(facts.metadata.contains) != true { return nil }
      return .labels(depth: depth + 1)
    case .records(let path): return .records("\(path)/\(name)")
    case .other: return scope
    }
  }

  // MARK: Files

  private func erasedFile(_ entry: Tree.Entry, _ scope: Scope) throws -> Tree.Entry? {
    switch scope {
    case .root where entry.name == ".mailmap": return try erasedMailmap(entry)
    case .root where entry.name == DocumentPath.manifest.description: return entry
    case .photos:
      guard entry.name.hasSuffix(".json"),
        let photo = PhotoID(String(entry.name.dropLast(".json".count))),
        facts.photos.contains(photo)
      else { return entry }
      return try erasedFile(entry, scope, as: .photo, of: photo)
    case .labels: return facts.people.isEmpty ? entry : try erasedLabel(entry)
    case .records(let directory):
      let kind = DocumentPath("\(directory)/\(entry.name)")?.kind
      return try erasedFile(entry, kind == nil ? .other : scope, as: kind)
    case .root, .other: return try erasedFile(entry, .other, as: nil)
    }
  }

  /// - Parameter kind: A kind of documents that are erased in the same way.
  private func erasedFile(
    _ entry: Tree.Entry, _ scope: Scope, as kind: DocumentKind?, of photo: PhotoID? = nil
  ) throws -> Tree.Entry? {
    let key = TreeKey(id: entry.node.id, scope: scope)
    if photo == nil, let known = files[key] { return known.map { entry.replacing($0) } }
    var new: ObjectID? = entry.node.id
    // A larger file is no document; in the place of one, it may have the facts nevertheless.
    if try repository.size(of: entry.node.id) > DocumentLimit.size {
      if photo != nil {
        erasedFiles.insert(entry.node.id)
        new = try writer.write(.blob, [])
      }
    } else {
      let bytes = try repository.blob(entry.node.id)
      let erased = eraser.erased(bytes, as: kind, of: photo)
      if erased != bytes {
        erasedFiles.insert(entry.node.id)
        new = try erased.map { try writer.write(.blob, $0) }
      }
    }
    if photo == nil { files[key] = .some(new) }
    return new.map { entry.replacing($0) }
  }

  private func erasedMailmap(_ entry: Tree.Entry) throws -> Tree.Entry {
    let bytes = try repository.blob(entry.node.id)
    let erased = eraser.erasedMailmap(bytes)
    if erased == bytes { return entry }
    erasedFiles.insert(entry.node.id)
    return entry.replacing(try writer.write(.blob, erased))
  }

  /// Returns what a label becomes. The name of its file has a tag of its annotator.
  private func erasedLabel(_ entry: Tree.Entry) throws -> Tree.Entry {
    guard let name = FactEraser.labelName(entry.name) else { return entry }
    if otherTags.contains(name.tag) { return entry }
    let bytes = try repository.blob(entry.node.id)
    guard let (file, erased) = eraser.erasedLabel(bytes, named: entry.name) else {
      // A valid label shows whose tag it is.
      if let label = try? Label(bytes: bytes), label.annotator.tag == name.tag {
        otherTags.insert(name.tag)
      }
      return entry
    }
    let id = erased == bytes ? entry.node.id : try writer.write(.blob, erased)
    newBlobs[id] = erased
    erasedFiles.insert(entry.node.id)
    return Tree.Entry(name: file, node: TreeNode(.file, id))
  }
}

/// A writer that computes ids and writes nothing.
private final class HashingObjectWriter: ObjectWriter {
  func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID {
    ObjectID(hashing: kind, bytes)
  }

  func finish() throws {}
}

extension Tree.Entry {
  /// Returns the entry with another object.
  fileprivate func replacing(_ id: ObjectID) -> Tree.Entry {
    id == node.id ? self : Tree.Entry(name: name, node: TreeNode(node.mode, id))
  }
}

extension FactEraser {
  /// Returns the name and the bytes of the file of an erased person's label; nil for another's.
  func erasedLabel(_ bytes: [UInt8], named file: String) -> (file: String, bytes: [UInt8])? {
    guard let name = FactEraser.labelName(file) else { return nil }
    func person(among texts: some Sequence<String>) -> Annotator? {
      texts.lazy.compactMap { Annotator($0) }.first { $0.tag == name.tag }
    }
    // A label that does not parse may have the sides of a conflict, or name the person all the same.
    let sides = ([bytes] + ConflictMarkers.sides(of: bytes)).lazy.compactMap { version in
      (try? JSON(bytes: version))?["annotator"]?.string
    }
    let annotator =
      person(among: sides)
      ?? person(
        among: String(decoding: bytes, as: UTF8.self).split(separator: "\"").map(String.init))
    guard let other = annotator.flatMap({ replacement(of: $0) }) else { return nil }
    var parts = file.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
    parts[1] = other.tag + (parts.count == 2 ? ".json" : "")
    return (parts.joined(separator: "~"), erasedLabel(bytes))
  }

  /// Returns the name of a label that a file has; nil if it is another name.
  static func labelName(_ file: String) -> LabelName? {
    file.hasSuffix(".json") ? LabelName(file.dropLast(".json".count)) : nil
  }
}
