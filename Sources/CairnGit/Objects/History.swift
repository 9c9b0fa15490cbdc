internal import CLibgit2

extension Repository {
  /// Returns the best common ancestors of two commits: several when the histories criss-cross, none
  /// when they are unrelated.
  package func mergeBases(_ a: ObjectID, _ b: ObjectID) throws -> [ObjectID] {
    if !historyEnds.isEmpty { return try mergeBasesToEnds(a, b) }
    var found = git_oidarray()
    // libgit2 also reports “not found” when a commit is missing here.
    let status = try completing {
      a.withOID { a in b.withOID { b in git_merge_bases(&found, handle, a, b) } }
    }
    if status == GIT_ENOTFOUND.rawValue { return [] }
    try check(status, "find the merge base of \(a) and \(b)")
    defer { git_oidarray_dispose(&found) }
    return (0..<found.count).map { ObjectID(found.ids[$0]) }.sorted()
  }

  /// Returns whether `ancestor` is `commit` or one of its ancestors.
  package func isAncestor(_ ancestor: ObjectID, of commit: ObjectID) throws -> Bool {
    if ancestor == commit { return true }
    if !historyEnds.isEmpty { return try isAncestorToEnds(ancestor, of: commit) }
    let status = try completing {
      commit.withOID { commit in
        ancestor.withOID { git_graph_descendant_of(handle, commit, $0) }
      }
    }
    return try check(status, "compare \(ancestor) and \(commit)") == 1
  }

  /// Returns how many commits are reachable only from `a` (ahead) and only from `b` (behind).
  package func aheadBehind(_ a: ObjectID, _ b: ObjectID) throws -> (ahead: Int, behind: Int) {
    var (ahead, behind) = (0, 0)
    if a == b { return (0, 0) }
    if !historyEnds.isEmpty { return try aheadBehindToEnds(a, b) }
    let status = try completing {
      a.withOID { a in
        b.withOID { git_graph_ahead_behind(&ahead, &behind, handle, a, $0) }
      }
    }
    try check(status, "compare \(a) and \(b)")
    return (ahead, behind)
  }

  /// Calls `visit` for the commits reachable from `tips` and not from `excluded` until it returns
  /// false, newest first, children before parents.
  package func walk(
    from tips: [ObjectID], excluding excluded: [ObjectID] = [], oldestFirst: Bool = false,
    _ visit: (ObjectID) throws -> Bool
  ) throws {
    // A walk cannot be resumed after a failure.
    if isShallow || knownHistoryEnds?.isEmpty == false { try complete() }
    if !historyEnds.isEmpty {
      return try walkToEnds(
        from: tips, excluding: excluded, oldestFirst: oldestFirst, visit)
    }
    var walk: OpaquePointer?
    try check(git_revwalk_new(&walk, handle), "walk the history")
    defer { git_revwalk_free(walk) }
    var sorting = GIT_SORT_TOPOLOGICAL.rawValue | GIT_SORT_TIME.rawValue
    if oldestFirst { sorting |= GIT_SORT_REVERSE.rawValue }
    git_revwalk_sorting(walk, sorting)
    for tip in tips {
      try check(tip.withOID { git_revwalk_push(walk, $0) }, "walk the history of \(tip)")
    }
    for id in excluded where contains(id) {
      try check(id.withOID { git_revwalk_hide(walk, $0) }, "walk the history before \(id)")
    }
    var oid = git_oid()
    while true {
      let status = git_revwalk_next(&oid, walk)
      if status == GIT_ITEROVER.rawValue { return }
      try check(status, "walk the history")
      if try !visit(ObjectID(oid)) { return }
    }
  }

  /// Returns the newest commits of some histories that another repository also has, following the
  /// parents of each commit that it lacks.
  ///
  /// - Parameter limit: The maximum number of commits to examine.
  package func newestCommits(
    of tips: [ObjectID], alsoIn other: Repository, limit: Int = 10_000
  ) throws -> [ObjectID] {
    var (open, seen, shared) = (tips, Set(tips), [ObjectID]())
    while let id = open.popLast(), seen.count <= limit {
      if other.contains(id) {
        shared.append(id)
      } else {
        open += try commit(id).parents.filter { seen.insert($0).inserted }
      }
    }
    return shared
  }
}
