internal import CairnBase
internal import CairnDocument
internal import CairnFiles
public import CairnSync

extension VerifyReport.Warning {
  public var message: String { "its stamp is in the future: \(stamp)" }
}

extension WorkingProblem.Reason {
  /// The reason as a phrase.
  package var sentence: String {
    switch self {
    case .invalidDocument(let error): "\(error)"
    case .missing: "the file is missing"
    case .moved(let other): "moved to \(other), where it does not count as a document"
    case .empty: "the file is empty; the committed version is used"
    case .changedImage: "the file was changed; its SHA-256 no longer matches its name"
    case .imageOfNoPhoto: "no photo document names this image"
    case .unknownFile: "not a file of a dataset"
    case .unsafePath:
      "in git only: its name has a backslash or is not UTF-8, or a symbolic link leads to it"
    case .unreadable(let error): "cannot be read: \(error.code)"
    case .submodule: "a submodule, which cairn leaves to git"
    case .conflict: "an unresolved conflict in git's index"
    case .unknownBase:
      "edited from a version that was not found in the history; in a shallow clone, commit again when "
        + "its remote is reachable"
    }
  }
}

extension WorkingProblem {
  /// The reason as a phrase, such as `the file is missing`, with the command that restores the file.
  public var message: String {
    // Only this file: others may have edits that are not committed.
    let restoring = "`git checkout -- :/\(path)`"
    return switch reason {
    case .missing, .empty: "\(reason.sentence) (\(restoring) restores it)"
    case .changedImage:
      "\(reason.sentence) (`cairn images fetch --all` and then \(restoring) restore it)"
    case .moved(let other):
      "\(reason.sentence) (`git restore --staged -- :/\(path) \(shellQuoted(":/" + other))` and then "
        + "\(restoring) restore it)"
    default: reason.sentence
    }
  }
}
