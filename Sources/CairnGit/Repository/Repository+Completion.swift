internal import CairnBase
internal import CairnFiles
internal import SystemPackage

// A git clone can leave out part of the history (`--depth`) or of the files and trees (`--filter`).
// git fetches the missing objects later on demand; libgit2 supports neither. When an object is
// missing for the first time, cairn lets git fetch everything that was left out, and the repository
// is a complete clone from then on.

/// The means to fetch the objects that a shallow or partial clone left out.
package struct Completion {
  let git: () -> GitProgram?
  let report: (String) -> Void
  let isCancelled: () -> Bool

  /// - Parameters:
  ///   - git: The git program, looked for when it is needed; nil when git is not installed.
  ///   - report: Called with a message that describes what is about to be fetched.
  ///   - isCancelled: Whether the operation was stopped, so that git was, too.
  package init(
    git: @autoclosure @escaping () -> GitProgram?, report: @escaping (String) -> Void,
    isCancelled: @escaping () -> Bool
  ) {
    (self.git, self.report, self.isCancelled) = (git, report, isCancelled)
  }
}

extension Repository {
  /// Whether the repository is a shallow clone with incomplete history.
  package var isShallow: Bool {
    let status = try? files.status(shallowFile)
    return (status?.size ?? 0) > 0
  }

  /// Returns the remote that has the files and trees that a partial clone left out; nil when this
  /// is not a partial clone.
  ///
  /// Source: git's Documentation/technical/partial-clone.txt.
  package func promisor() throws(GitError) -> String? {
    let settings = try settings()
    return settings["extensions.partialClone"]
      ?? settings.remoteNames.first { settings.flag("remote.\($0).promisor") ?? false }
  }

  /// Fetches everything that a shallow or partial clone left out.
  ///
  /// - Parameter isObjectMissing: Whether an object is missing that is needed now. Otherwise the
  ///   remote is not asked again for what it has lost.
  /// - Returns: Whether there was something to fetch.
  /// - Throws: ``GitError`` with `.incomplete` when it cannot be fetched, and with `.cancelled` when
  ///   the operation was stopped.
  @discardableResult
  package func complete(isObjectMissing: Bool = false) throws(GitError) -> Bool {
    guard let completion, !isCompleted else { return false }
    let promisor = try isObjectMissing ? promisor() : filteringPromisor()
    checkHistoryEnds()
    let lacksHistory = isShallow && historyEnds.isEmpty
    guard lacksHistory || promisor != nil else { return false }
    if let completionFailure { throw completionFailure }
    do throws(GitError) {
      if lacksHistory { try fetchHistory(completion) }
      if let promisor { try fetchObjects(from: promisor, completion) }
    } catch {
      if error.code != .cancelled { completionFailure = error }
      throw error
    }
    isCompleted = true
    try refreshObjects()
    return true
  }

  /// Runs a call that reads objects; if one is missing, fetches everything that the clone left out
  /// and runs the call again.
  func completing(_ body: () -> CInt) throws(GitError) -> CInt {
    let status = body()
    guard isNotFound(status), try complete(isObjectMissing: true) else { return status }
    return body()
  }

  /// Returns the remote from which git fetches only a part of the files and trees.
  private func filteringPromisor() throws(GitError) -> String? {
    guard let remote = try promisor(), try configuration(filterKey(remote)) != nil else {
      return nil
    }
    return remote
  }

  private func filterKey(_ remote: String) -> String { "remote.\(remote).partialclonefilter" }

  // MARK: History

  private func fetchHistory(_ completion: Completion) throws(GitError) {
    let settings = try settings()
    let names = settings.remoteNames
    let branch = try headBranch()?.dropFirst("refs/heads/".count)
    let upstream = branch.flatMap { settings["branch.\($0).remote"] }
    try fetchHistory(completion, from: upstream ?? (names.count == 1 ? names[0] : "origin"))
  }

  func fetchHistory(_ completion: Completion, from remote: String) throws(GitError) {
    let what = "the history that this shallow clone left out"
    let command = "fetch --unshallow \(shellWord(remote))"
    try fetch(what, by: command, completion) { (git) throws(GitError) in
      try git.run(
        "fetch", ["--unshallow", "--no-tags", "--no-write-fetch-head", remote],
        settings: withoutMaintenance, in: self)
      if isShallow { throw GitError(.incomplete, "“\(remote)” does not have it, either") }
    }
  }

  // MARK: Files and trees

  private func fetchObjects(
    from remote: String, _ completion: Completion
  ) throws(GitError) {
    let what = "the files that this partial clone left out"
    let command = "fetch --refetch --no-filter \(shellWord(remote))"
    try fetch(what, by: command, completion) { (git) throws(GitError) in
      do {
        try fetchAllObjects(git, from: remote, completion)
      } catch {
        throw (error as? GitError) ?? GitError(.other, "\(error)")
      }
    }
  }

  private func fetchAllObjects(
    _ git: GitProgram, from remote: String, _ completion: Completion
  ) throws {
    try fetchMissingObjects(git, from: remote, reachableFrom: ["--all"])
    do {
      let all = ["--all", "--reflog", "--indexed-objects"]
      try fetchMissingObjects(git, from: remote, reachableFrom: all)
    } catch let error as GitError {
      // Ctrl-C also ends git.
      if completion.isCancelled() { throw error }
      // The remote may have lost what only a reflog or the index names. As long as that is missing,
      // `git gc` works only in a partial clone. Without a filter, nothing else will be missing.
      return try setConfiguration(filterKey(remote), nil)
    }
    try clearPromisor(remote)
  }

  /// Fetches missing objects in rounds: when trees were left out, each fetched tree can name
  /// further missing objects.
  ///
  /// - Parameter tips: The options of `git rev-list` that name where to start.
  private func fetchMissingObjects(
    _ git: GitProgram, from remote: String, reachableFrom tips: [String]
  ) throws {
    let list = temporaryFile("missing")
    defer { files.discard(list) }
    var before: [String] = []
    while true {
      try files.create(list, [])
      try git.run(
        "rev-list", ["--objects"] + tips + ["--missing=print", "--quiet"], in: self, output: list)
      let lines = String(decoding: try files.read(list) ?? [], as: UTF8.self).split(separator: "\n")
      let missing = lines.filter { $0.hasPrefix("?") }.map { String($0.dropFirst()) }.sorted()
      if missing.isEmpty { return }
      if missing == before { throw GitError(.incomplete, "“\(remote)” lacks some of them, too") }
      before = missing
      try files.create(list, Array(missing.map { $0 + "\n" }.joined().utf8))
      // Source: git's promisor-remote.c, `fetch_objects`.
      try git.run(
        "fetch",
        [
          remote, "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no",
          "--filter=blob:none", "--stdin",
        ], settings: withoutMaintenance + ["fetch.negotiationAlgorithm=noop"], in: self, input: list
      )
    }
  }

  /// Changes the configuration so that git no longer treats the repository as a partial clone.
  private func clearPromisor(_ remote: String) throws {
    try setConfiguration([
      ("remote.\(remote).promisor", nil), (filterKey(remote), nil),
      ("extensions.partialclone", nil),
    ])
    for name in try files.list(packDirectory) ?? [] where name.hasSuffix(".promisor") {
      try files.remove(packDirectory.appending(name))
    }
  }

  // MARK: Both

  /// Settings that disable background maintenance, which would go on after this process has ended.
  private var withoutMaintenance: [String] { ["gc.auto=0", "maintenance.auto=false"] }

  private func fetch(
    _ what: String, by command: String, _ completion: Completion,
    _ body: (GitProgram) throws(GitError) -> Void
  ) throws(GitError) {
    var reason = "git is not installed"
    if let git = completion.git() {
      completion.report("fetching \(what) …")
      do throws(GitError) {
        return try body(git)
      } catch {
        if completion.isCancelled() { throw GitError(.cancelled, "the fetch was stopped") }
        reason = error.message
      }
    }
    let path = (workTree ?? gitDirectory).lexicallyNormalized().string
    throw GitError(
      .incomplete, "cannot fetch \(what): \(reason)",
      remedy: "git -C \(shellQuoted(path)) \(command)")
  }

  private func shellWord(_ text: String) -> String {
    text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
      ? text : shellQuoted(text)
  }
}
