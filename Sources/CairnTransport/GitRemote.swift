public import CairnGit

/// A repository somewhere else, with which objects and refs are exchanged: in a directory, over ssh,
/// over http.
///
/// One suite of tests holds for all that conform. One thread uses it at a time.
public protocol GitRemote: AnyObject {
  /// The address as people know it, without secrets.
  var address: String { get }

  /// Returns the refs as they are now. A fetch or a push that follows belongs to what this returned;
  /// it may be asked again at any time.
  func references(for direction: GitSettings.Direction) throws -> RemoteReferences

  /// Brings all that is reachable from `tips`, which the remote's refs must name.
  ///
  /// When it returns, all of it is in `repository` for good. When it throws, the repository has all of
  /// it or nothing that it could take for it: no ref was moved.
  /// - Parameter known: Commits that are in the repository with all that they reach.
  func fetch(
    _ tips: [ObjectID], into repository: Repository, known: [ObjectID],
    progress: TransferProgress
  ) throws

  /// Gives the remote `objects` and moves a ref of its, if it is where it is expected. Objects come
  /// first, so that at no time a ref names what is not there.
  ///
  /// - Returns: What became of the ref, which is known: where the connection ended before the remote
  ///   said so, it was asked again.
  func push(
    _ update: ReferenceUpdate, with objects: NewObjects, from repository: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome

  /// Ends the exchange, as far as one is going on.
  func close()
}

/// Called with what is being done, how much of it is done, and how much there is.
public typealias TransferProgress = (_ what: String, _ done: Int, _ total: Int) -> Void

/// A ref of a remote's to be moved.
public struct ReferenceUpdate: Sendable, Equatable {
  public let name: String
  /// Where it is expected; nil: it must not exist.
  public let old: ObjectID?
  public let new: ObjectID

  public init(_ name: String, from old: ObjectID?, to new: ObjectID) {
    (self.name, self.old, self.new) = (name, old, new)
  }
}

/// What became of a push.
public struct PushOutcome: Sendable, Equatable {
  public enum Result: Sendable, Equatable {
    case moved
    /// It was not where it was expected: somebody else was first.
    case raced
    /// It could not be moved though it is where it was expected, in the remote's own words: somebody
    /// has it locked, or has left it so.
    case busy(String)
    /// The remote does not want it, a hook or a protected branch; in its own words.
    case refused(String)
  }

  public let result: Result
  /// What the remote and its hooks have to say to people; it is safe to show.
  public let words: [String]

  public init(_ result: Result, words: [String] = []) {
    (self.result, self.words) = (result, words)
  }
}
