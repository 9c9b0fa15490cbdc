internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

// Commits of other tools in this copy.

extension Replica {
  var seenFile: FilePath { directory.privateDirectory.appending("seen") }

  /// Records that everything up to `commit`, on the branch that is checked out, has been checked
  /// and fixed.
  func noteSeen(_ commit: ObjectID) throws {
    guard let branch = try repository.headBranch() else { return }
    // The file of another branch may be broken.
    var seen = try seenCommits().filter { (try? repository.reference($0.key)) != nil }
    seen[branch] = commit
    let lines = seen.map { "\($1) \($0)\n" }.sorted()
    try environment.files.write(
      Array(lines.joined().utf8), to: seenFile, temporary: FilePath(seenFile.string + ".tmp"))
  }

  /// How many commits back other tools' commits are searched for in a history not yet checked.
  private static let ancestorSearchLimit = 100

  /// Returns the newest commit of a history that is one of cairn's merges or fixups, or otherwise
  /// the last one within ``ancestorSearchLimit``; nil when the history is short.
  func checkedAncestor(of tip: ObjectID) throws -> ObjectID? {
    var found: ObjectID?
    var left = Replica.ancestorSearchLimit
    try repository.walk(from: [tip]) { id in
      left -= 1
      if try isOwn(id) || left == 0 { found = id }
      return found == nil
    }
    return found
  }

  /// Whether a commit is one of cairn's merges or fixups.
  func isOwn(_ id: ObjectID) throws -> Bool {
    let committer = try repository.commit(id).committer
    return committer == Replica.signature(time: committer.time)
  }

  /// The last commit of each branch whose documents cairn has checked: an id, a space and the
  /// branch's full name on each line.
  func seenCommits() throws -> [String: ObjectID] {
    let text = String(decoding: try environment.files.read(seenFile) ?? [], as: UTF8.self)
    var seen: [String: ObjectID] = [:]
    for line in text.split(separator: "\n") {
      let (id, branch) = (line.prefix(40), String(line.dropFirst(41)))
      if Repository.isReferenceName(branch) { seen[branch] = ObjectID(id) }
    }
    return seen
  }

  /// The last commit of the checked-out branch whose documents cairn has checked; nil in a clone
  /// made by git, and on a new branch.
  private func seenCommit() throws -> ObjectID? {
    try repository.headBranch().flatMap { try seenCommits()[$0] }
  }

  /// Returns the newest commit up to `tip` whose documents cairn has checked on any branch; nil if
  /// there is none.
  private func seenAncestor(of tip: ObjectID) throws -> ObjectID? {
    var newest: ObjectID?
    for commit in try Set(seenCommits().values).sorted() where repository.contains(commit) {
      guard try repository.isAncestor(commit, of: tip) else { continue }
      if let known = newest, try !repository.isAncestor(known, of: commit) { continue }
      newest = commit
    }
    return newest
  }

  /// Returns `head` with its fixups if its history was rewritten since cairn last checked it;
  /// otherwise `head` itself.
  func commitReplacingSeen(_ head: ObjectID) throws -> (commit: ObjectID, fixups: [Fixup]) {
    guard let seen = try seenCommit(), repository.contains(seen),
      try !repository.isAncestor(seen, of: head)
    else { return (head, []) }
    return try commitWithFixups(head, excluding: [seen], replacing: seen)
  }

  /// Stamps and repairs what other tools have committed here since cairn last checked.
  ///
  /// - Parameters:
  ///   - everywhere: Whether to check everything that is committed, regardless of its age.
  ///   - report: Called with what changed in the work tree.
  func fixUpOwnCommits(
    _ session: EditSession, everywhere: Bool = false,
    report: (CheckoutReport) -> Void = { _ in }
  ) throws -> [Fixup] {
    guard let head = try repository.head() else { return [] }
    if everywhere {
      let since = try fixUpOwnCommits(session)
      acceptedTree = nil
      let (commit, fixups) = try fullyRepaired(repository.head() ?? head)
      if !fixups.isEmpty {
        _ = try checkOut(
          commit, from: repository.head(), reason: "repair changes of other tools", session: session
        )
      }
      try noteCheckedPaths(areRefused: false)
      return since + fixups
    }
    let seen = try seenCommit()
    if seen == head { return [] }
    let (commit, fixups): (ObjectID, [Fixup])
    do {
      let last = seen.flatMap { repository.contains($0) ? $0 : nil }
      // A new branch continues one that was checked.
      let checked = try last ?? seenAncestor(of: head)
      // A clone made by git or just now by cairn: the last commits may be another tool's.
      let known = try checked ?? checkedAncestor(of: head)
      let isChecked = seen != nil || checked != nil
      (commit, fixups) = try commitWithFixups(
        head, excluding: known.map { [$0] } ?? [], replacing: last, readingNew: isChecked,
        restoresReferences: isChecked)
    } catch let error as GitError where error.code == .incomplete {
      // A shallow clone that is offline: it is checked once the full history is here.
      hasSkippedFixups = true
      return []
    }
    if commit == head {
      try noteSeen(head)
    } else {
      report(
        try checkOut(
          commit, from: head, reason: "fix up changes of other tools", session: session))
    }
    return fixups
  }
}
