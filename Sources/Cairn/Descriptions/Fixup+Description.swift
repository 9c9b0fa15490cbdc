internal import CairnDocument
public import CairnSync

extension Fixup.Reason {
  /// The fixup as a phrase.
  public var sentence: String {
    switch self {
    case .stamped: "edited by another tool, now stamped"
    case .canonicalized: "written by another tool, rewritten in canonical form"
    case .repaired(let error): "invalid (\(error)), the previous version was kept"
    case .remerged: "merged by another tool, merged again"
    case .restored: "removed by another tool, restored because other documents need it"
    case .facts: "the facts about its image were changed, restored"
    case .pointer: "pointed to another image, corrected"
    case .converted:
      "an image committed without Git LFS, now a pointer (its bytes stay in git's history)"
    case .emptied(let commit): "removed with everything else by \(commit.text), kept"
    case .belowDocument: "in a directory that replaced a document, left out"
    case .refusedPath: "git refuses such a path, left out"
    }
  }
}

extension EmptyingCommit {
  /// The commit, for example as “Ann in 4f2a9c1b0d (“work”)”.
  public var text: String { "\(author) in \(commit.short) (“\(summary)”)" }
}
