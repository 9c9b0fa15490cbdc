package import CairnGit

/// A repository elsewhere to exchange objects and refs with: in a directory, over ssh or over http.
///
/// One test suite covers all conforming types. Use a remote from one thread at a time.
package protocol GitRemote: AnyObject {
  /// The address to show to people, without secrets.
  var address: String { get }

  /// Returns the current refs. A following fetch or push refers to this result; the method may be
  /// called again at any time.
  func references(for direction: GitSettings.Direction) throws -> RemoteReferences

  /// Fetches everything reachable from `tips`, which the remote's refs must name.
  ///
  /// On return, all of it is stored durably in `repository`. On an error, no ref has moved, so that
  /// the repository has either everything or nothing that it could take for complete.
  /// - Parameter known: Commits in the repository with everything reachable from them.
  func fetch(
    _ tips: [ObjectID], into repository: Repository, known: [ObjectID],
    progress: TransferProgress
  ) throws

  /// Sends `objects` to the remote and moves one of its refs, if the ref has the expected value.
  /// Objects go first, so that a ref never names a missing object.
  ///
  /// - Returns: The definite outcome for the ref: if the connection ends before the remote reports
  ///   it, the refs are read again.
  func push(
    _ update: ReferenceUpdate, with objects: MissingObjects, from repository: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome

  /// Ends the exchange, if one is open.
  func close()
}

/// Called with the current task, the amount done and the total.
package typealias TransferProgress = (_ what: String, _ done: Int, _ total: Int) -> Void

/// A remote ref to move.
package struct ReferenceUpdate: Sendable, Equatable {
  package let name: String
  /// The expected value; nil if the ref must not exist.
  package let old: ObjectID?
  package let new: ObjectID

  package init(_ name: String, from old: ObjectID?, to new: ObjectID) {
    (self.name, self.old, self.new) = (name, old, new)
  }
}

/// The outcome of a push.
package struct PushOutcome: Sendable, Equatable {
  package enum Result: Sendable, Equatable {
    case moved
    /// The ref did not have the expected value: someone else pushed first.
    case raced
    /// The ref has the expected value but could not be moved, with the remote's message: it is
    /// locked, or a lock was left behind.
    case busy(String)
    /// The remote rejected the push, by a hook or a protected branch; with its message.
    case refused(String)
  }

  package let result: Result
  /// Messages from the remote and its hooks to people; safe to show.
  package let messages: [String]

  package init(_ result: Result, messages: [String] = []) {
    (self.result, self.messages) = (result, messages)
  }
}
