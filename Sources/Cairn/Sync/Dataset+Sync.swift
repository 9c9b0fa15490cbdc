internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnStore
public import CairnSync
internal import CairnTransport
public import SystemPackage

/// The state of a dataset at a glance.
public struct DatasetStatus: Sendable {
  /// The name of the dataset.
  public let name: String
  /// Without `refs/heads/`; nil when no branch is checked out.
  public let branch: String?
  /// A git operation, such as a merge or rebase, that is not finished.
  public let operation: InterruptedGitOperation?
  /// The last commit, in hexadecimal; nil when there is none.
  public let commit: String?
  /// The number of visible photos.
  public let photos: Int
  /// The number of labels that are not withdrawn.
  public let labels: Int
  /// The number of pins that are not removed.
  public let pins: Int
  /// The number of classes that are not removed.
  public let classes: Int
  /// The uncommitted changes, and problems with files of the work tree.
  public let working: WorkingState
  /// The divergence from the remote as of the last fetch or push; nil if there was none.
  public let upstream: UpstreamStatus?
}

/// How far a dataset and its remote have diverged.
public struct UpstreamStatus: Sendable {
  /// The name of the remote.
  public let remote: String
  /// The number of commits that only this copy has.
  public let ahead: Int
  /// The number of commits that only the remote has.
  public let behind: Int
}

/// A remote and its address for display, without a password.
public struct RemoteRecord: Sendable {
  /// Its name, such as `origin`.
  public let name: String
  /// A URL or a path.
  public let address: String
}

/// A remote, with what is known of it here.
public struct RemoteState: Sendable {
  /// The name and the address.
  public let remote: RemoteRecord
  /// The configured image URL; nil if the remote itself stores the images.
  public let imageURL: String?
  /// The remote's own image store, which it has if there is no image URL: a URL, or the remote's address
  /// if the images are beside the commits.
  public let ownImageStore: String
  /// The divergence from the remote as of the last fetch or push; nil if there was none.
  public let upstream: UpstreamStatus?
  /// When the remote last answered a fetch or a push, in milliseconds since 1970, a minute early at most;
  /// nil if it never did.
  public let lastExchange: Int64?
  /// Why the remote cannot be reached; nil if it can, or was not contacted.
  public internal(set) var failure: CairnError?
  /// Whether the remote was contacted.
  public internal(set) var isChecked = false
}

extension Dataset {
  /// Returns the state of the dataset: its counts, uncommitted changes and divergence from the
  /// remote.
  public func status() throws(CairnError) -> DatasetStatus { try status(everywhere: true) }

  /// Returns the state of the dataset.
  ///
  /// - Parameter everywhere: Whether to check every file of the work tree; otherwise only those
  ///   that cairn has written since the last commit, so that the cost depends on what changed.
  package func status(everywhere: Bool) throws(CairnError) -> DatasetStatus {
    try translating {
      let working = try everywhere ? replica.workingState() : replica.journaledState()
      let counts = try query { try $0.counts() }
      let branch = try replica.repository.headBranch()?.dropFirst("refs/heads/".count)
      let head = try replica.repository.head()
      return DatasetStatus(
        name: try replica.manifest().name.value, branch: branch.map(String.init),
        operation: try replica.interruptedOperation(), commit: head?.description,
        photos: counts.photos, labels: counts.labels, pins: counts.pins, classes: counts.classes,
        working: working,
        upstream: try replica.exchangeState().map {
          UpstreamStatus(remote: $0.remote, ahead: $0.ahead, behind: $0.behind)
        })
    }
  }

  /// Commits the changes of the work tree.
  ///
  /// - Parameter message: Nil for a summary of the changes.
  /// - Parameter everywhere: Whether to check every file, which takes longer in a large dataset.
  @discardableResult
  public func commit(
    message: String? = nil, everywhere: Bool = false
  ) throws(CairnError) -> CommitResult {
    replica.askForPersonToCommit()
    return try edit("commit") {
      try replica.commit(message: message, everywhere: everywhere, session: $0)
    }
  }

  /// Writes a file that is not part of the dataset, such as a workflow of a hosting site, and commits
  /// it with the uncommitted changes of the dataset.
  ///
  /// - Parameter path: The path in the dataset's directory.
  /// - Throws: ``CairnError/Kind/exists`` when there is such a file with other content.
  public func commitFile(
    _ path: String, _ bytes: [UInt8], message: String
  ) throws(CairnError) {
    try edit("commit", needsPerson: true) { session in
      if let other = try directory.read(path), other != bytes {
        throw CairnError(
          .exists, "\(path) already exists.", hint: "Rename or remove it first.")
      }
      try directory.write(bytes, to: path)
      try replica.commit(message: message, others: [path], session: session)
    }
  }

  /// Fetches from a remote and merges.
  ///
  /// - Parameter remote: Nil for the only remote, or `origin`.
  /// - Throws: ``CairnError/Kind/unreachable`` when the remote cannot be reached.
  @discardableResult
  public func pull(
    _ remote: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> PullReport {
    try runningMaintenance { try replica.pull(remote, options: options) }
  }

  /// Pushes commits and their images to a remote.
  ///
  /// - Parameter remote: Nil for the only remote, or `origin`.
  /// - Throws: ``CairnError/Kind/notFastForward`` when the remote has commits that this copy lacks.
  @discardableResult
  public func push(
    _ remote: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> PushReport {
    try runningMaintenance { try replica.push(remote, options: options) }
  }

  /// Commits, pulls and pushes, pulling again if someone else pushed in the meantime.
  ///
  /// - Parameter remote: Nil for the only remote, or `origin`.
  /// - Parameter message: The message of the commit; nil for a summary of the changes.
  /// - Returns: What was done, and why the exchange failed if it did (``SyncReport/failure``), such as
  ///   a ``CairnError`` of the kind ``CairnError/Kind/refused``.
  /// - Throws: Why nothing could be committed, or ``CairnError/Kind/noRemote``.
  @discardableResult
  public func sync(
    _ remote: String? = nil, message: String? = nil, options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> SyncReport {
    replica.askForPersonToCommit()
    return try runningMaintenance {
      var report = try replica.sync(remote, message: message, options: options)
      report.replaceFailure { CairnError($0) }
      return report
    }
  }

  // MARK: Remotes

  /// Returns the remotes, sorted by name, with their addresses for display, without passwords.
  public func remotes() throws(CairnError) -> [RemoteRecord] {
    try translating {
      let settings = try replica.repository.settings()
      return settings.remoteNames.map {
        let address = settings.address(ofRemote: $0, for: .fetching)
        return RemoteRecord(name: $0, address: RemoteAddress.withoutSecret(address ?? ""))
      }
    }
  }

  /// Returns the remotes with what is known of them here.
  ///
  /// - Parameter checking: Whether to ask each whether it can be reached.
  public func remoteStates(checking: Bool = false) throws(CairnError) -> [RemoteState] {
    try remotes().map { (remote) throws(CairnError) in
      var state = try state(of: remote)
      if checking {
        state.isChecked = true
        do throws(CairnError) {
          try translating { try replica.checkReachability(of: remote.name) }
        } catch {
          state.failure = error
        }
      }
      return state
    }
  }

  private func state(of remote: RemoteRecord) throws(CairnError) -> RemoteState {
    try translating {
      RemoteState(
        remote: remote, imageURL: try replica.imageURL(ofRemote: remote.name),
        ownImageStore: replica.ownImageStore(ofAddress: remote.address),
        upstream: try replica.exchangeState(with: remote.name).map {
          UpstreamStatus(remote: $0.remote, ahead: $0.ahead, behind: $0.behind)
        }, lastExchange: try replica.lastExchange(with: remote.name))
    }
  }

  /// Returns the remote with a name.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` if there is none.
  public func remote(_ name: String) throws(CairnError) -> RemoteRecord {
    guard let remote = try remotes().first(where: { $0.name == name }) else {
      throw CairnError(SyncError.noRemote(name))
    }
    return remote
  }

  /// Adds a remote.
  ///
  /// - Parameter creating: Whether to create an empty bare repository there.
  /// - Parameter base: The directory that a relative path is resolved against.
  public func addRemote(
    _ name: String, _ address: String, creating: Bool = false, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote add") { _ in
      try replica.addRemote(name, address, creating: creating, relativeTo: base)
    }
  }

  /// Renames a remote of this copy.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is no remote with this name.
  public func renameRemote(_ name: String, to other: String) throws(CairnError) {
    try edit("remote rename") { _ in try replica.renameRemote(name, to: other) }
  }

  /// Changes the address of a remote.
  ///
  /// - Parameter base: The directory that a relative path is resolved against.
  /// - Throws: ``CairnError/Kind/notFound`` when there is no remote with this name.
  public func setAddress(
    ofRemote name: String, _ address: String, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote set-url") { _ in
      try replica.setAddress(ofRemote: name, address, relativeTo: base)
    }
  }

  /// Removes a remote from this copy; its data is not changed.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is no remote with this name.
  public func removeRemote(_ name: String) throws(CairnError) {
    try edit("remote remove") { _ in
      guard try replica.repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
      try replica.repository.removeRemote(name)
      replica.forgetExchange(with: name)
    }
  }
}
