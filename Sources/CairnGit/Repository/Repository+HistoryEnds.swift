internal import CairnBase
internal import CairnFiles
internal import SystemPackage

// A remote may be a shallow clone itself, such as a repository made by `git clone --bare --depth`.
// Nobody can fetch from it what it lacks, so a clone of it has the same ends. git ignores the
// parents of the commits that `shallow` lists; libgit2 looks for them.

extension Repository {
  /// Whether the remote that was cloned was a shallow clone, so that `shallow` lists its ends.
  private static let endsKey = "cairn.shallow"

  /// The commits at which the history ends here and at the remote: they count as having no parents.
  /// Empty if the remote has what is missing here.
  package var historyEnds: Set<ObjectID> {
    if let knownHistoryEnds { return knownHistoryEnds }
    var ends: Set<ObjectID> = []
    if isShallow, (try? flag(Repository.endsKey, default: keepsHistoryEnds)) ?? keepsHistoryEnds,
      let bytes = try? files.read(shallowFile)
    {
      ends = Set(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { ObjectID($0) })
    }
    knownHistoryEnds = ends
    return ends
  }

  /// The file in which git lists the commits whose parents are missing in a shallow clone.
  var shallowFile: FilePath { commonDirectory.appending("shallow") }

  /// Makes the history of a new clone end where that of its remote does.
  package func endHistory(at commits: [ObjectID]) throws {
    if commits.isEmpty { return }
    try setConfiguration(Repository.endsKey, "true")
    try files.write(
      Array(commits.map { "\($0)\n" }.joined().utf8), to: shallowFile,
      temporary: temporaryFile("shallow"))
    knownHistoryEnds = nil
  }

  // MARK: Walks that stop at the ends

  /// Returns the commits reachable from `tips`, which are among them.
  private func history(of tips: [ObjectID]) throws -> [ObjectID: Commit] {
    var (found, open) = ([ObjectID: Commit](), tips)
    while let id = open.popLast() {
      if found[id] != nil { continue }
      let commit = try commit(id)
      found[id] = commit
      open += commit.parents
    }
    return found
  }

  func mergeBasesToEnds(_ a: ObjectID, _ b: ObjectID) throws -> [ObjectID] {
    let others = try history(of: [b])
    let shared = try history(of: [a]).filter { others[$0.key] != nil }
    // All ancestors of a shared commit are shared: the best ones have no child among these.
    return Set(shared.keys).subtracting(shared.values.flatMap(\.parents)).sorted()
  }

  func isAncestorToEnds(_ ancestor: ObjectID, of commit: ObjectID) throws -> Bool {
    try history(of: [commit])[ancestor] != nil
  }

  func aheadBehindToEnds(_ a: ObjectID, _ b: ObjectID) throws -> (ahead: Int, behind: Int) {
    let (ours, theirs) = (try history(of: [a]), try history(of: [b]))
    return (ours.keys.count { theirs[$0] == nil }, theirs.keys.count { ours[$0] == nil })
  }

  func walkToEnds(
    from tips: [ObjectID], excluding excluded: [ObjectID], oldestFirst: Bool,
    _ visit: (ObjectID) throws -> Bool
  ) throws {
    let hidden = try history(of: excluded.filter(contains))
    let commits = try history(of: tips).filter { hidden[$0.key] == nil }
    var children: [ObjectID: Int] = [:]
    for commit in commits.values {
      for parent in Set(commit.parents) { children[parent, default: 0] += 1 }
    }
    var ready = commits.keys.filter { children[$0] == nil }
    var order: [ObjectID] = []
    while !ready.isEmpty {
      ready.sort { (commits[$0]!.author.time, $0) < (commits[$1]!.author.time, $1) }
      let id = ready.removeLast()
      order.append(id)
      for parent in Set(commits[id]!.parents) where commits[parent] != nil {
        children[parent]! -= 1
        if children[parent] == 0 { ready.append(parent) }
      }
    }
    for id in oldestFirst ? order.reversed() : order {
      if try !visit(id) { return }
    }
  }
}
