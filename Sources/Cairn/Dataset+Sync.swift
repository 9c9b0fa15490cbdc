internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnStore
public import CairnSync
internal import CairnTransport
public import SystemPackage

/// How a dataset stands, at a glance.
public struct DatasetStatus: Sendable {
  public let name: String
  /// Without `refs/heads/`.
  public let branch: String
  /// The last commit, in hexadecimal; nil when there is none.
  public let commit: String?
  public let photos: Int
  public let labels: Int
  public let pins: Int
  public let classes: Int
  public let working: WorkingState
  /// How many commits are here and not at the remote, and the other way round, as of the last
  /// exchange; nil when there was none.
  public let exchange: (remote: String, ahead: Int, behind: Int)?
}

extension Dataset {
  public func status() throws(CairnError) -> DatasetStatus {
    try translating {
      let working = try replica.workingState()
      let counts = try query { try $0.counts() }
      let branch = String(try replica.branch().dropFirst("refs/heads/".count))
      let head = try replica.repository.head()
      return DatasetStatus(
        name: try replica.manifest().name.value, branch: branch, commit: head?.description,
        photos: counts.photos, labels: counts.labels, pins: counts.pins, classes: counts.classes,
        working: working, exchange: try replica.exchangeState())
    }
  }

  /// Commits the changes of the work tree.
  ///
  /// - Parameter message: Nil for a summary of the changes.
  /// - Parameter everywhere: Whether to look at every file, however many there are.
  public func commit(
    message: String? = nil, everywhere: Bool = false
  ) throws(CairnError) -> CommitResult {
    try edit("commit") {
      try replica.commit(message: message, everywhere: everywhere, session: $0)
    }
  }

  public func pull(
    _ remote: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> PullReport {
    try keepingInShape { try replica.pull(remote, options: options) }
  }

  public func push(
    _ remote: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> PushReport {
    try keepingInShape { try replica.push(remote, options: options) }
  }

  /// Commits, pulls and pushes, as often as it takes.
  public func sync(
    _ remote: String? = nil, message: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> SyncReport {
    try keepingInShape { try replica.sync(remote, message: message, options: options) }
  }

  // MARK: Remotes

  /// Returns the remotes, sorted by name, with their addresses as they can be shown: without passwords.
  public func remotes() throws(CairnError) -> [(name: String, address: String)] {
    try translating {
      let settings = try replica.repository.settings()
      return settings.remoteNames.map {
        let address = settings.address(ofRemote: $0, for: .fetching)
        return ($0, RemoteAddress.withoutSecret(address ?? ""))
      }
    }
  }

  /// Adds a remote.
  ///
  /// - Parameter creating: Whether to make an empty bare repository there.
  /// - Parameter base: Where a relative path starts.
  public func addRemote(
    _ name: String, _ address: String, creating: Bool = false, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote add") { _ in
      try replica.addRemote(name, address, creating: creating, relativeTo: base)
    }
  }

  public func removeRemote(_ name: String) throws(CairnError) {
    try edit("remote remove") { _ in
      guard try replica.repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
      try replica.repository.removeRemote(name)
    }
  }
}

extension Amendment.Reason {
  /// What was done, as a phrase.
  public var sentence: String {
    switch self {
    case .stamped: "edited by another tool, stamped"
    case .tidied: "written by another tool, put in canonical form"
    case .repaired(let error): "does not read (\(error)), what stood before stands"
    case .rejoined: "merged by another tool, joined anew"
    }
  }
}
