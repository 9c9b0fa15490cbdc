import CairnDocument
import CairnGit
import Foundation
import SystemPackage

/// Merges as git makes them where cairn is not configured.
extension PlainGitUser {
  func merge(
    _ ours: ObjectID, _ theirs: ObjectID, strategy: String, dropsManifest: Bool = false,
    _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws -> ObjectID {
    let base = try repository.tree(ofCommit: mergeBase(ours, theirs, &random, &ledger))
    let writer = LooseObjectWriter(repository)
    let keeps = random.chance(50)
    // Also the others' removals.
    let isOurs = strategy == "-s ours"
    if isOurs { ledger.hasMergedRemoval = true }
    try repository.diff(repository.commit(ours).tree, repository.commit(theirs).tree) {
      for node in [$0.old, $0.new] {
        if let node { ledger.merge($0.path, try repository.blob(node.id)) }
      }
    }
    let merged = try repository.merge(
      base: base, ours: try repository.commit(ours).tree,
      theirs: try repository.commit(theirs).tree, writer: writer
    ) { candidate in
      guard let ours = candidate.ours, let theirs = candidate.theirs else {
        ledger.hasMergedRemoval = true
        return keeps ? candidate.ours ?? candidate.theirs : nil
      }
      if candidate.base == nil {
        try CreatedTwice.check(
          candidate.path, [ours, theirs].map { try repository.blob($0.id) })
      }
      if isOurs { return ours }
      let merged = try mergeLines(
        try candidate.base.map { try repository.blob($0.id) } ?? [], try repository.blob(ours.id),
        try repository.blob(theirs.id), strategy: strategy)
      return TreeNode(.file, try writer.write(.blob, merged))
    }
    var tree = isOurs ? try repository.commit(ours).tree : merged
    if dropsManifest { tree = try repository.edit(tree, [("cairn.json", nil)], writer: writer) }
    return try writer.write(
      Commit(
        tree: tree, parents: [ours, theirs], author: signature, committer: signature,
        message: "Merge lines"))
  }

  /// Sometimes amends a merge with another value of a document, where it is certain that merging
  /// lines has not made that value.
  func perhapsAmend(_ merge: ObjectID, _ ledger: inout Ledger) throws -> ObjectID {
    guard amendments?.chance(30) == true else { return merge }
    let commit = try repository.commit(merge)
    let bases = try repository.mergeBases(commit.parents[0], commit.parents[1])
    guard bases.count == 1 else { return merge }
    let (base, ours, theirs) = (
      try contents(of: bases[0]), try contents(of: commit.parents[0]),
      try contents(of: commit.parents[1])
    )
    func mayBeRenamed(_ kind: DocumentKind, in side: [String: [UInt8]], _ other: [String: [UInt8]])
      -> Bool
    {
      base.contains { path, bytes in
        side[path] == nil && other[path] != nil && other[path] != bytes
          && DocumentPath(path)?.kind == kind
      }
    }
    let candidates = try contents(of: merge).filter { path, merged in
      guard let kind = DocumentPath(path)?.kind, kind != .dataset else { return false }
      let versions = [base[path], ours[path], theirs[path]]
      guard ([merged] + versions.compactMap(\.self)).allSatisfy({ (try? JSON(bytes: $0)) != nil })
      else { return false }
      switch (ours[path], theirs[path]) {
      case (let mine?, let other?):
        return mine == other || mine == base[path] || other == base[path]
      case (_?, nil): return base[path] == nil && !mayBeRenamed(kind, in: ours, theirs)
      case (nil, _?): return base[path] == nil && !mayBeRenamed(kind, in: theirs, ours)
      case (nil, nil): return false
      }
    }
    guard let path = amendments?.pick([""] + candidates.keys.sorted()), let old = candidates[path],
      let json = try? JSON(bytes: old), let text = amendments?.below(1_000_000),
      let verdict = amendments?.pick(["present", "absent", "withdrawn"])
    else { return merge }
    var edited = PlainGitUser.changed(
      json, json["title"] == nil ? "name" : "title", to: .string("in a merge \(text)"))
    if json["verdict"] != nil, var members = json.object {
      members["verdict"] = .string(verdict)
      edited = .object(members)
    }
    let new = edited.canonicalBytes
    if [old, base[path], ours[path], theirs[path]].contains(new) { return merge }
    ledger.amendMerge(path, from: old, to: new, at: signature.time)
    let writer = LooseObjectWriter(repository)
    let tree = try repository.edit(
      commit.tree, [(path, TreeNode(.file, try writer.write(.blob, new)))], writer: writer)
    return try writer.write(
      Commit(
        tree: tree, parents: commit.parents, author: commit.author, committer: signature,
        message: commit.message))
  }

  private func contents(of commit: ObjectID) throws -> [String: [UInt8]] {
    try repository.contents(of: repository.tree(ofCommit: commit)!)
  }

  /// Returns the merge base or, if there are several, a merge of them all, as git does.
  private func mergeBase(
    _ ours: ObjectID, _ theirs: ObjectID, _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws -> ObjectID? {
    let bases = try repository.mergeBases(ours, theirs)
    return try bases.dropFirst().reduce(bases.first) {
      try merge($0!, $1, strategy: "", &random, &ledger)
    }
  }

  /// Merges as git does without a merge driver, and keeps the conflict markers.
  private func mergeLines(
    _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], strategy: String
  ) throws -> [UInt8] {
    let scratch = URL(filePath: root.string)
    let names = ["ours", "base", "theirs"]
    for (name, bytes) in zip(names, [ours, base, theirs]) {
      try Data(bytes).write(to: scratch.appending(path: "merge-\(name)"))
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["git", "merge-file", "-p", "-q"] + (strategy.isEmpty ? [] : [strategy])
      + names.map { "merge-\($0)" }
    process.currentDirectoryURL = scratch
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let merged = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Array(merged)
  }
}
