internal import CairnBase
internal import CairnFiles
internal import SystemPackage

// A remote may be a shallow clone itself, such as a repository made by `git clone --bare --depth`.
// Nobody can fetch from it what it lacks, so a clone of it has the same ends. git ignores the
// parents of the commits that `shallow` lists; libgit2 looks for them.

/// What a walk needs of a commit.
struct HistoryNode {
  let parents: [ObjectID]
  /// The time of the committer, in seconds since 1970.
  let time: Int64
}

extension Repository {
  /// The setting with the commits at which the history of the remote ends.
  private static let endsKey = "cairn.shallow"

  /// The file in which git lists the commits whose parents are missing in a shallow clone.
  var shallowFile: FilePath { commonDirectory.appending("shallow") }

  /// The commits at which the history ends here and at the remote: they count as having no parents.
  /// Empty if the remote has what is missing here.
  package var historyEnds: Set<ObjectID> {
    otherHistoryEnds.isEmpty ? ownHistoryEnds : ownHistoryEnds.union(otherHistoryEnds)
  }

  /// Whether the history ends at a commit.
  func isHistoryEnd(_ id: ObjectID) -> Bool {
    ownHistoryEnds.contains(id) || otherHistoryEnds.contains(id)
  }

  private var ownHistoryEnds: Set<ObjectID> {
    if let knownHistoryEnds { return knownHistoryEnds }
    let listed = listedEnds
    let ends = keepsHistoryEnds || listed.isSubset(of: endsOfRemote()) ? listed : []
    knownHistoryEnds = ends
    return ends
  }

  /// Forgets the ends that were read if another process has since completed the history, or cloned it.
  func checkHistoryEnds() {
    if let knownHistoryEnds, knownHistoryEnds.isEmpty == isShallow { self.knownHistoryEnds = nil }
  }

  private var listedEnds: Set<ObjectID> {
    guard isShallow, let bytes = try? files.read(shallowFile) else { return [] }
    return Repository.ids(in: String(decoding: bytes, as: UTF8.self))
  }

  private func endsOfRemote() -> Set<ObjectID> {
    Repository.ids(in: ((try? configuration(Repository.endsKey)) ?? nil) ?? "")
  }

  private static func ids(in text: String) -> Set<ObjectID> {
    Set(text.split { $0 == "\n" || $0 == " " }.compactMap { ObjectID($0) })
  }

  /// Records each of the ends of a remote's history that `tips` reach, and whose parents are missing
  /// here: a remote cannot cut off what is here.
  package func endHistory(of tips: [ObjectID], at ends: Set<ObjectID>) throws {
    if ends.isEmpty { return }
    var (open, seen, found) = (tips, Set(tips), historyEnds)
    while let id = open.popLast() {
      guard contains(id) else { continue }
      let parents = try storedCommit(id).parents
      if ends.contains(id), !parents.allSatisfy(contains) {
        found.insert(id)
      } else {
        open += parents.filter { seen.insert($0).inserted }
      }
    }
    if found == historyEnds { return }
    try record(ends: found)
    try files.write(
      Array(found.sorted().map { "\($0)\n" }.joined().utf8), to: shallowFile,
      temporary: temporaryFile("shallow"), durable: true)
    try files.syncDirectory(commonDirectory)
    knownHistoryEnds = nil
  }

  private func record(ends: Set<ObjectID>) throws {
    try setConfiguration(
      Repository.endsKey,
      ends.isEmpty ? nil : ends.sorted().map(\.description).joined(separator: " "))
  }

  /// Fetches the history that is missing here from a remote, as far as the remote has it.
  ///
  /// - Parameter ends: Where the history of the remote ends, if it is a shallow clone.
  /// - Throws: ``GitError`` with `.incomplete` if it lacks more.
  package func completeHistory(from remote: String, endingAt ends: Set<ObjectID>) throws {
    guard let completion else { throw GitError(.incomplete, "part of the history is missing") }
    do {
      try fetchHistory(completion, from: remote)
      try record(ends: [])
    } catch let error as GitError where error.code == .incomplete {
      let left = listedEnds
      guard !left.isEmpty, left.isSubset(of: ends) else { throw error }
      try record(ends: left)
    }
    completionFailure = nil
    try refreshObjects()
  }

  /// Returns whether another repository has the whole history before those of the new commits whose
  /// parents are missing here.
  package func historyReaches(_ other: Repository, from new: [ObjectID]) throws -> Bool {
    if historyEnds.isEmpty { return true }
    let parents = try new.filter(historyEnds.contains).flatMap { try storedCommit($0).parents }
    do {
      try other.walk(from: parents) { _ in true }
      return true
    } catch let error as GitError where error.code == .notFound {
      return false
    }
  }

  /// Runs `body` with other commits as ends, too: those of the other side of an exchange.
  package func endingHistory<Result>(
    also ends: Set<ObjectID>, _ body: () throws -> Result
  ) rethrows -> Result {
    otherHistoryEnds = ends
    defer { otherHistoryEnds = [] }
    return try body()
  }

  // MARK: Walks that stop at the ends

  private func node(_ id: ObjectID) throws -> HistoryNode {
    if let node = historyNodes[id] { return node }
    let commit = try storedCommit(id)
    let node = HistoryNode(parents: commit.parents, time: commit.committer.time)
    historyNodes[id] = node
    return node
  }

  private func parents(of id: ObjectID) throws -> [ObjectID] {
    isHistoryEnd(id) ? [] : try node(id).parents
  }

  /// Returns the commits reachable from `tips`, which are among them.
  ///
  /// - Parameter target: A commit at which to stop.
  private func history(of tips: [ObjectID], until target: ObjectID? = nil) throws -> Set<ObjectID> {
    var (found, open) = (Set<ObjectID>(), tips)
    while let id = open.popLast() {
      guard found.insert(id).inserted else { continue }
      if id == target { break }
      open += try parents(of: id)
    }
    return found
  }

  func mergeBasesToEnds(_ a: ObjectID, _ b: ObjectID) throws -> [ObjectID] {
    let shared = try history(of: [a]).intersection(history(of: [b]))
    // All ancestors of a shared commit are shared: the best ones have no child among these.
    return try shared.subtracting(shared.flatMap { try parents(of: $0) }).sorted()
  }

  func isAncestorToEnds(_ ancestor: ObjectID, of commit: ObjectID) throws -> Bool {
    try history(of: [commit], until: ancestor).contains(ancestor)
  }

  func aheadBehindToEnds(_ a: ObjectID, _ b: ObjectID) throws -> (ahead: Int, behind: Int) {
    let (ours, theirs) = (try history(of: [a]), try history(of: [b]))
    return (ours.subtracting(theirs).count, theirs.subtracting(ours).count)
  }

  func walkToEnds(
    from tips: [ObjectID], excluding excluded: [ObjectID], oldestFirst: Bool,
    _ visit: (ObjectID) throws -> Bool
  ) throws {
    let tips = tips.filter { !excluded.contains($0) }
    if tips.isEmpty { return }
    let commits = try history(of: tips).subtracting(history(of: excluded.filter(contains)))
    var children: [ObjectID: Int] = [:]
    for id in commits {
      for parent in Set(try parents(of: id)) { children[parent, default: 0] += 1 }
    }
    var ready = try commits.filter { children[$0] == nil }.map { (time: try node($0).time, id: $0) }
    var order: [ObjectID] = []
    while !ready.isEmpty {
      ready.sort { ($0.time, $0.id) < ($1.time, $1.id) }
      let id = ready.removeLast().id
      order.append(id)
      for parent in Set(try parents(of: id)) where commits.contains(parent) {
        children[parent]! -= 1
        if children[parent] == 0 { ready.append((try node(parent).time, parent)) }
      }
    }
    for id in oldestFirst ? order.reversed() : order {
      if try !visit(id) { return }
    }
  }
}
