public import CairnGit

/// The refs of a remote, as it told them.
public struct RemoteReferences: Sendable, Equatable {
  /// By their full names, such as `refs/heads/main`.
  public internal(set) var tips: [String: ObjectID] = [:]
  /// The branch that its HEAD names, where it says so and has it.
  public internal(set) var headBranch: String?

  public init(tips: [String: ObjectID] = [:], headBranch: String? = nil) {
    (self.tips, self.headBranch) = (tips, headBranch)
  }

  public subscript(name: String) -> ObjectID? { tips[name] }
}
