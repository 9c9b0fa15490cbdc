internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

// Everything that refs and reflogs of this copy name is rewritten without the facts that are known to
// be erased. First come the new objects, then the work tree, then git's index and the refs. Since the
// new history is a function of the old one and the facts, what a crash interrupts is simply done
// again.

extension Replica {
  /// The file with the objects of refs and reflogs that have none of the erased facts: a hash of the
  /// facts, and then an id on each line. A line begins with `!` if the object is no commit, or a part
  /// of its history is missing.
  private var cleanFile: FilePath { directory.privateDirectory.appending("rewritten") }

  /// Returns what commits become without the facts that are known to be erased; nil if none are.
  private func currentRewrite() throws -> HistoryRewrite? {
    let facts = try erasedFacts()
    if facts.isEmpty { return nil }
    if let historyRewrite, historyRewrite.facts == facts { return historyRewrite }
    let rewrite = HistoryRewrite(
      facts, in: repository, clean: try cleanObjects(facts)?.commits ?? [])
    historyRewrite = rewrite
    return rewrite
  }

  /// Returns what a commit becomes without the facts that are known to be erased.
  func withoutErasedFacts(_ commit: ObjectID) throws -> ObjectID {
    guard let rewrite = try currentRewrite() else { return commit }
    let new = try rewrite.rewritten(commit)
    try rewrite.finish()
    return new
  }

  /// Whether the history of a branch has facts that are known to be erased.
  func hasErasedFacts(_ branch: String) throws -> Bool {
    guard let tip = try repository.reference(branch) else { return false }
    return try withoutErasedFacts(tip) != tip
  }

  // MARK: Clean commits

  /// The version of what ``FactEraser`` erases: commits that an earlier one left clean may not be.
  private static let eraserVersion = 2

  private static func hash(_ facts: ErasedFacts) -> String {
    hexHash(Array("\(eraserVersion)\n\(facts.text)".utf8), digits: 40)
  }

  /// Returns the objects without the facts; nil if these facts are not erased from this copy yet.
  private func cleanObjects(
    _ facts: ErasedFacts
  ) throws -> (commits: [ObjectID], all: Set<ObjectID>)? {
    let text = String(decoding: try environment.files.read(cleanFile) ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n")
    guard let first = lines.first, first == Replica.hash(facts) else { return nil }
    let commits = lines.dropFirst().compactMap { ObjectID($0) }.filter { repository.contains($0) }
    let others = lines.dropFirst().filter { $0.hasPrefix("!") }.compactMap {
      ObjectID($0.dropFirst())
    }
    return (commits, Set(commits + others))
  }

  private func noteClean(
    _ objects: Set<ObjectID>, incomplete: Set<ObjectID>, _ facts: ErasedFacts
  ) throws {
    let lines =
      [Replica.hash(facts)]
      + objects.sorted().map { id in
        let isCommit = !incomplete.contains(id) && (try? repository.commit(id)) != nil
        return (isCommit ? "" : "!") + id.description
      }
    try environment.files.write(
      Array(lines.map { $0 + "\n" }.joined().utf8), to: cleanFile,
      temporary: FilePath("\(cleanFile).new"))
  }

  // MARK: This copy

  /// Rewrites everything that refs and reflogs name, unless git is in the middle of an operation or no
  /// branch is checked out. Facts that are new here are erased from uncommitted documents and from the
  /// files of this device even if no commit has them.
  func rewriteHistory(_ session: EditSession) throws {
    guard let rewrite = try currentRewrite() else { return }
    let eraser = FactEraser(rewrite.facts)
    // git names its user in each line, also where no object is new, and keeps messages in files.
    if !rewrite.facts.people.isEmpty {
      try repository.rewriteReflogs([:]) { eraser.erasedLogLine($0) }
      try repository.rewriteMessages { eraser.erasedMessage($0) }
    }
    let seen = Set(try seenCommits().values).filter { repository.contains($0) }
    let named = try repository.namedObjects().union(seen)
    let clean = try cleanObjects(rewrite.facts)
    let open = named.subtracting(clean?.all ?? [])
    // cairn does not commit this file, so there may be no commit with what another tool writes there.
    let hasMailmap = try uncommittedMailmap(eraser) != nil
    if open.isEmpty, clean != nil, !hasMailmap { return }
    guard try interruptedOperation() == nil, try repository.headBranch() != nil else { return }
    try repository.complete()
    var map: [ObjectID: ObjectID] = [:]
    var incomplete: Set<ObjectID> = []
    let references = Set(try repository.references().values)
    for id in open.sorted() {
      do {
        let new = try rewrite.rewritten(id)
        if new != id { map[id] = new }
      } catch let error as GitError where !references.contains(id) && error.code == .notFound {
        // A reflog may name a commit whose history git has removed in part.
        incomplete.insert(id)
      }
    }
    try rewrite.finish()
    if !map.isEmpty || clean == nil || hasMailmap {
      let (commits, documents) = rewrite.takeCounts()
      let uncommitted = try uncommittedVersions(eraser).subtracting(rewrite.erasedFiles)
      rewrittenHistory.commits += commits
      rewrittenHistory.documents += documents + uncommitted.count
      try replace(map, eraser, session)
    }
    try noteClean(
      Set(named.map { map[$0] ?? $0 }), incomplete: incomplete, rewrite.facts)
  }

  /// Rewrites the history, or reports why it cannot be rewritten yet: the next command tries again.
  func rewriteHistoryIfPossible(_ session: EditSession) {
    do {
      try rewriteHistory(session)
    } catch {
      environment.onMessage("the history cannot be rewritten without erased facts yet: \(error)")
    }
  }

  /// Returns what a commit has become since it was written.
  func rewritten(_ commit: ObjectID) -> ObjectID { historyRewrite?.results[commit] ?? commit }

  /// Returns how much of the history was rewritten here since the last call.
  func takeRewrittenHistory() -> RedactionReport {
    defer { rewrittenHistory = RedactionReport() }
    return rewrittenHistory
  }

  private func replace(
    _ map: [ObjectID: ObjectID], _ eraser: FactEraser, _ session: EditSession
  ) throws {
    let head = try repository.head()
    let old = try repository.tree(ofCommit: head)
    let new = try repository.tree(ofCommit: head.map { map[$0] ?? $0 })
    let changes = try eraseWorkTree(from: old, to: new, eraser, session)
    if !map.isEmpty || !changes.isEmpty {
      try repository.updateIndex(changes, in: new, updatingCollapsed: true) {
        try repository.moveReferences(map)
      }
    }
    let (logs, index) = try derivedFiles()
    // The database last: as soon as it is gone, others create it again with side files of its own.
    for path in index.sorted(by: { $0.string.utf8.count > $1.string.utf8.count }) {
      try environment.files.removeTree(path)
    }
    // An erasure of facts that this copy never had leaves what can be undone.
    if try !map.isEmpty || logsWithFacts(eraser) != ([], []) {
      for path in logs { try environment.files.removeTree(path) }
      operation?.restart()
    }
    try repository.removeTemporaryHeads()
    // After a crash, the next command does all of this again, as long as these name the old history.
    try repository.rewriteReflogs(map) { eraser.erasedLogLine($0) }
    try replaceSeen(map)
    (mergedTrees, historyTrees, checkedFixups, headFixups) = ([:], nil, [:], nil)
    (erasureTree, notedErasures, formerPhotos) = (nil, nil, [:])
    onRewrite()
  }

  private func replaceSeen(_ map: [ObjectID: ObjectID]) throws {
    guard let bytes = try environment.files.read(seenFile) else { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      let id = ObjectID(line.prefix(40)).map { map[$0] ?? $0 }
      return (id?.description ?? String(line.prefix(40))) + line.dropFirst(40) + "\n"
    }
    try environment.files.write(
      Array(lines.joined().utf8), to: seenFile, temporary: FilePath(seenFile.string + ".tmp"))
  }

  /// Returns the files of this device that have versions of documents: the logs of operations and edits
  /// that can be undone and of reviews, and the index, which the next query builds again.
  func derivedFiles() throws -> (logs: [FilePath], index: [FilePath]) {
    let files = environment.files
    var (logs, index): ([FilePath], [FilePath]) = ([], [])
    for name in try files.list(directory.privateDirectory) ?? [] {
      let path = directory.privateDirectory.appending(name)
      if name == "operations" || name == "edits" {
        logs += try (files.list(path) ?? []).map { path.appending($0) }
      } else if name.hasPrefix(directory.indexDatabase.lastComponent?.string ?? "index.sqlite") {
        index.append(path)
      } else if name.hasPrefix("review"), !name.hasSuffix(".lock") {
        logs.append(path)
      }
    }
    return (logs, index)
  }
}

extension FactEraser {
  /// Returns a line of a reflog, after its ids, without erased people.
  func erasedLogLine(_ line: String) -> String {
    if facts.people.isEmpty { return line }
    let identity = line.prefix { $0 != "\t" }
    let message = replacingAddresses(in: String(line[identity.endIndex...]))
    guard let open = identity.lastIndex(of: "<"), let close = identity[open...].firstIndex(of: ">"),
      let address = replacement(ofAddress: String(identity[identity.index(after: open)..<close]))
    else { return replacingAddresses(in: String(identity)) + message }
    return " \(HistoryRewrite.erasedName) <\(address)\(identity[close...])\(message)"
  }
}
