internal import CairnBase
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

extension Replica {
  private func exchangeFile(_ remote: String) -> FilePath {
    directory.privateDirectory.appending("exchanges").appending(PercentEncoding.encoded(remote))
  }

  private static let exchangeLimit = 64 << 10

  /// Records that a remote has answered, at most once a minute, and that it has a branch. Nothing
  /// depends on the record alone, so that an error, such as a full disk, does not matter here.
  ///
  /// - Parameter branch: Nil when the remote does not have the branch that is exchanged.
  func recordExchange(with remote: String, branch: String?) {
    let now = environment.now()
    var branches = exchangedBranches(with: remote)
    if let branch, !branches.contains(branch) {
      branches.append(branch)
    } else if let last = try? lastExchange(with: remote), last <= now, last > now - 60_000 {
      return
    }
    let file = exchangeFile(remote)
    let lines = ["\(now)"] + branches
    try? environment.files.createDirectory(file.removingLastComponent())
    try? environment.files.create(file, Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Returns the branches that a remote has had, as far as they were exchanged: `refs/heads/main`.
  func exchangedBranches(with remote: String) -> [String] {
    let record = try? environment.files.read(exchangeFile(remote), limit: Replica.exchangeLimit)
    guard let bytes = record.flatMap({ $0 }) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst()
      .map(String.init)
  }

  /// Returns when a remote last answered a fetch or a push, in milliseconds since 1970, a minute early at
  /// most; nil if it never did.
  package func lastExchange(with remote: String) throws -> Int64? {
    try environment.files.read(exchangeFile(remote), limit: Replica.exchangeLimit)
      .flatMap { bytes in
        Int64(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
      }
  }

  /// Discards what is recorded of a remote that is renamed or removed.
  package func forgetExchange(with remote: String) {
    try? environment.files.remove(exchangeFile(remote))
  }

  /// Asks a remote for its branches.
  ///
  /// - Throws: Why it cannot be reached.
  package func checkReachability(of name: String) throws {
    let remote = try openRemote(name).remote
    defer { remote.git.close() }
    _ = try remote.git.references(for: .fetching)
  }
}
