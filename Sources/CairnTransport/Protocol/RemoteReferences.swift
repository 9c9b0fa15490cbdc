public import CairnGit

/// The refs that a remote reported.
public struct RemoteReferences: Sendable, Equatable {
  /// Keyed by full name, such as `refs/heads/main`.
  public internal(set) var tips: [String: ObjectID] = [:]
  /// The branch that its HEAD names, if the remote reports it and has it.
  public internal(set) var headBranch: String?

  public init(tips: [String: ObjectID] = [:], headBranch: String? = nil) {
    (self.tips, self.headBranch) = (tips, headBranch)
  }

  public subscript(name: String) -> ObjectID? { tips[name] }
}
