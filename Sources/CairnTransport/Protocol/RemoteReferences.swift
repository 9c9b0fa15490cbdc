package import CairnGit

/// The refs that a remote reported.
package struct RemoteReferences: Sendable, Equatable {
  /// Keyed by full name, such as `refs/heads/main`.
  package internal(set) var tips: [String: ObjectID] = [:]
  /// The branch that its HEAD names, if the remote reports it and has it.
  package internal(set) var headBranch: String?

  /// The commits whose parents a shallow clone lacks.
  package internal(set) var historyEnds: Set<ObjectID> = []

  package init(
    tips: [String: ObjectID] = [:], headBranch: String? = nil, historyEnds: Set<ObjectID> = []
  ) {
    (self.tips, self.headBranch, self.historyEnds) = (tips, headBranch, historyEnds)
  }

  package subscript(name: String) -> ObjectID? { tips[name] }
}
