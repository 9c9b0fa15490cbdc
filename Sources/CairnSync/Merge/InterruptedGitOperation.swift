internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

/// A merge, rebase or similar operation that git began here and has not finished.
public struct InterruptedGitOperation: Equatable, Sendable {
  /// The raw value is git's command.
  public enum Kind: String, Sendable {
    case merge, rebase, am, revert, bisect
    case cherryPick = "cherry-pick"
  }

  /// The command that stopped.
  public let kind: Kind
  /// The branch that is being rebased or bisected, without `refs/heads/`; nil where a branch is
  /// checked out.
  public let branch: String?
  /// Whether no branch is checked out.
  let isDetached: Bool
  /// The paths of documents in conflict, which cairn merges; sorted.
  public let documents: [String]
  /// The paths of other files in conflict, which a person has to resolve; sorted.
  public let files: [String]
  /// Whether one of these files is outside the sparse checkout.
  let isOutsideCheckout: Bool

  /// The commands that finish it, in order.
  public var nextCommands: [String] {
    if kind == .bisect { return [abortCommand] }
    // A merge into a branch is the only operation that cairn finishes itself.
    if kind == .merge, !isDetached, files.isEmpty { return ["cairn commit"] }
    let paths = files.map { shellArgument(":/\($0)") }.joined(separator: " ")
    let add = "git add \(isOutsideCheckout ? "--sparse " : "")\(paths)"
    return (documents.isEmpty ? [] : ["cairn commit"]) + (files.isEmpty ? [] : [add])
      + ["git \(kind.rawValue) --continue"]
  }

  /// The command that aborts it.
  public var abortCommand: String {
    kind == .bisect ? "git bisect reset" : "git \(kind.rawValue) --abort"
  }
}

extension Replica {
  /// Returns the operation that git is in the middle of.
  package func interruptedOperation() throws -> InterruptedGitOperation? {
    // A rebase may stop in a merge.
    let traces: [(String, InterruptedGitOperation.Kind)] = [
      ("rebase-merge", .rebase), ("rebase-apply/applying", .am), ("rebase-apply", .rebase),
      ("MERGE_HEAD", .merge), ("CHERRY_PICK_HEAD", .cherryPick), ("REVERT_HEAD", .revert),
    ]
    let directory = repository.gitDirectory
    guard
      let kind = try traces.first(where: { try environment.files.exists(directory.appending($0.0)) }
      )?.1
    else { return try interruptedBisect() }
    let paths = Set(try repository.conflictedEntries().map(\.path))
    let documents = paths.filter { DocumentPath($0) != nil }
    let files = paths.subtracting(documents)
    return InterruptedGitOperation(
      kind: kind, branch: kind == .rebase ? try rebasedBranch() : nil,
      isDetached: try repository.headBranch() == nil, documents: documents.sorted(),
      files: files.sorted(), isOutsideCheckout: files.contains { !isCheckedOut($0) })
  }

  /// Returns the search of `git bisect`, if it has checked out a commit; people forget to end it
  /// after they have switched back to their branch.
  private func interruptedBisect() throws -> InterruptedGitOperation? {
    let start = repository.gitDirectory.appending("BISECT_START")
    guard let bytes = try environment.files.read(start, limit: 1 << 12),
      try repository.headBranch() == nil
    else { return nil }
    let name = String(decoding: bytes, as: UTF8.self).trimmingSpaces()
    let isBranch = try repository.reference("refs/heads/\(name)") != nil
    return InterruptedGitOperation(
      kind: .bisect, branch: isBranch ? name : nil, isDetached: true, documents: [], files: [],
      isOutsideCheckout: false)
  }

  private func rebasedBranch() throws -> String? {
    for name in ["rebase-merge", "rebase-apply"] {
      let path = repository.gitDirectory.appending(name).appending("head-name")
      guard let bytes = try environment.files.read(path, limit: 1 << 12) else { continue }
      let branch = String(decoding: bytes, as: UTF8.self).trimmingSpaces()
      if branch.hasPrefix("refs/heads/") { return String(branch.dropFirst("refs/heads/".count)) }
    }
    return nil
  }
}
