internal import CairnGit
internal import CairnStore
internal import CairnTransport

/// The result of a sync.
public struct SyncReport: Sendable {
  /// The commit that was made first.
  public let committed: CommitResult
  /// One report for each time the remote was found ahead; the last one is the newest.
  public var pulls: [PullReport] = []
  /// Nil when nothing could be pushed.
  public internal(set) var push: PushReport?
  /// Why the exchange with the remote failed, whatever the cause; the next sync pushes what is
  /// committed.
  public internal(set) var failure: (any Error)?
  /// Whether the network is the cause of the failure: the same sync may succeed later.
  public internal(set) var isOffline = false
}

extension SyncReport {
  /// Replaces the error of the exchange.
  package mutating func replaceFailure(_ replacement: (any Error) -> any Error) {
    failure = failure.map(replacement)
  }
}

extension Replica {
  /// The maximum number of pulls when others push first.
  static let syncAttempts = 50
  /// The maximum number of attempts while the remote cannot move its branch, with growing pauses of
  /// about 6 seconds in total.
  static let busyAttempts = 6

  /// Commits, pulls and pushes, and pulls again when somebody else pushed meanwhile. The report has
  /// an error of the exchange, since what is committed stays so.
  ///
  /// - Throws: Why nothing could be committed, or that there is no such remote.
  package func sync(
    _ remote: String? = nil, message: String? = nil, options: TransferOptions = TransferOptions()
  ) throws -> SyncReport {
    if try interruptedOperation() == nil, let branch = try repository.headBranch() {
      _ = try chooseRemote(remote, of: branch, for: .pushing, repository.settings())
    }
    let (committed, branch) = try editing("sync") {
      (try commit(message: message, session: $0), try self.branch())
    }
    var report = SyncReport(committed: committed)
    do {
      try exchange(remote, branch, options: options, &report)
    } catch {
      (report.failure, report.isOffline) = (error, Replica.isOffline(error))
    }
    return report
  }

  private func exchange(
    _ remote: String?, _ branch: String, options: TransferOptions, _ report: inout SyncReport
  ) throws {
    if try pushAlone(remote, branch, options: options, &report) { return }
    var busy = 0
    while true {
      let pulled = try pull(remote, branch: branch, options: options, as: "sync")
      report.pulls.append(pulled)
      if let commit = pulled.theirs, !pulled.needsReplacement,
        try isPushed(commit, of: branch, to: pulled.remote)
      {
        report.push = PushReport(remote: pulled.remote, commit: commit)
        return
      }
      do {
        report.push = try push(remote, branch: branch, options: options)
        return
      } catch SyncError.notFastForward(let name) {
        if report.pulls.count >= Replica.syncAttempts {
          throw SyncError.raced(remote: name, attempts: report.pulls.count)
        }
      } catch SyncError.busy(let name, let reason, let messages) {
        // A running push holds the branch for a moment; a killed one holds it forever.
        busy += 1
        if busy == Replica.busyAttempts {
          throw SyncError.refused(remote: name, reason: reason, messages: messages)
        }
        sleepMilliseconds(UInt32(100 << busy) + UInt32(environment.random() % 200))
      }
    }
  }

  /// Pushes over a single connection if the remote's branch is where it was at the last exchange, so
  /// that there is nothing to pull.
  ///
  /// - Returns: Whether it did; if not, a pull is needed, or says what is wrong.
  private func pushAlone(
    _ remoteName: String?, _ branch: String, options: TransferOptions, _ report: inout SyncReport
  ) throws -> Bool {
    guard let known = try lastExchanged(remoteName, branch, options: options) else { return false }
    let (name, remote) = try openRemote(remoteName, of: branch, for: .pushing)
    defer { remote.git.close() }
    let references: RemoteReferences
    do {
      references = try pushReferences(of: remote, named: name, branch)
    } catch let error as TransportError
      where [.authentication, .forbidden, .noRepository, .noProgram, .serverError]
      .contains(error.kind)
    {
      // Somebody who may not push, or has no login, may pull.
      return false
    }
    guard references[branch] == known else { return false }
    let nothing = Fetched(remote: name, branch: branch, commit: known, previous: known)
    report.pulls.append(try finishPull(nothing, options: options, as: "sync"))
    do {
      report.push = try push(branch, to: remote, named: name, at: references, options: options)
      return true
    } catch SyncError.notFastForward, SyncError.busy {
      report.pulls = []
      return false
    }
  }

  /// Returns the remote's commit of the last exchange, if this copy only has commits to push to it and
  /// nothing to fetch, as far as it knows; nil for a remote in a directory, which takes no time to
  /// connect to.
  private func lastExchanged(
    _ remoteName: String?, _ branch: String, options: TransferOptions
  ) throws -> ObjectID? {
    let settings = try repository.settings()
    let (name, address) = try chooseRemote(remoteName, of: branch, for: .fetching, settings)
    guard !RemoteAddress.isDirectory(address), isPushedToSameAddress(name, settings),
      let known = try repository.reference(tracking(name, branch)),
      let head = try repository.reference(branch), head != known,
      repository.contains(known), (try? repository.isAncestor(known, of: head)) == true,
      try !wantsImages(options) || unfetchedImages() == nil
    else { return nil }
    return known
  }

  /// Whether a branch is the commit that was just pulled. A push would connect again, only to find
  /// nothing to do, unless it goes to another address.
  private func isPushed(
    _ commit: ObjectID, of branch: String, to remote: String
  ) throws -> Bool {
    try repository.reference(branch) == commit
      && isPushedToSameAddress(remote, repository.settings())
  }

  private func isPushedToSameAddress(_ remote: String, _ settings: GitSettings) -> Bool {
    settings.address(ofRemote: remote, for: .pushing)
      == settings.address(ofRemote: remote, for: .fetching)
  }

  /// Whether a retry may work at another time or on another network, with nothing changed here.
  private static func isOffline(_ error: any Error) -> Bool {
    switch error {
    case SyncError.unreachable, SyncError.imageStoreUnreachable: return true
    default: break
    }
    guard let error = error as? TransportError else { return false }
    return error.kind == .unreachable || error.kind == .connectionLost
  }
}
