package import CairnGit

/// The refs that a remote reported.
package struct RemoteReferences: Sendable, Equatable {
  /// Keyed by full name, such as `refs/heads/main`.
  package internal(set) var tips: [String: ObjectID] = [:]
  /// The branch that its HEAD names, if the remote reports it and has it.
  package internal(set) var headBranch: String?

  package init(tips: [String: ObjectID] = [:], headBranch: String? = nil) {
    (self.tips, self.headBranch) = (tips, headBranch)
  }

  package subscript(name: String) -> ObjectID? { tips[name] }
}
