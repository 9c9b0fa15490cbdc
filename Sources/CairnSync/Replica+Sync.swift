public import CairnStore

/// What a sync did.
public struct SyncReport: Sendable {
  public let committed: CommitResult
  /// One for each time the remote was found ahead; the last one is the newest.
  public let pulls: [PullReport]
  public let push: PushReport
}

extension Replica {
  /// How often to pull again when others push first.
  static let syncAttempts = 50

  /// Commits, pulls and pushes, and pulls again when somebody else pushed meanwhile.
  public func sync(
    _ remote: String? = nil, message: String? = nil, options: TransferOptions = TransferOptions(),
    session: EditSession
  ) throws -> SyncReport {
    let committed = try commit(message: message, session: session)
    var pulls: [PullReport] = []
    while true {
      pulls.append(try pull(remote, options: options, session: session))
      do {
        let push = try push(remote, options: options)
        return SyncReport(committed: committed, pulls: pulls, push: push)
      } catch SyncError.notFastForward(let name) {
        if pulls.count >= Replica.syncAttempts {
          throw SyncError.raced(remote: name, attempts: pulls.count)
        }
      }
    }
  }
}
