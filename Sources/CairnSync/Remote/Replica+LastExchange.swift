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

  /// Records that a remote has answered, at most once a minute. What is recorded is only shown, so that
  /// an error, such as a full disk, does not matter here.
  func recordExchange(with remote: String) {
    let now = environment.now()
    if let last = try? lastExchange(with: remote), last <= now, last > now - 60_000 { return }
    let file = exchangeFile(remote)
    try? environment.files.createDirectory(above: file)
    try? environment.files.create(file, Array("\(now)\n".utf8))
  }

  /// Returns when a remote last answered a fetch or a push, in milliseconds since 1970, a minute early at
  /// most; nil if it never did.
  package func lastExchange(with remote: String) throws -> Int64? {
    try environment.files.read(exchangeFile(remote), limit: 100).flatMap { bytes in
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
