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
    case .empty:
      "the file is empty; the committed version is used (`git checkout -- :/` restores it)"
    case .changedImage: "the image was changed; its SHA-256 no longer matches its name"
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
  /// The reason as a phrase, such as `the file is missing`.
  public var message: String {
    guard case .moved(let other) = reason else { return reason.sentence }
    return "\(reason.sentence) (`git restore --staged -- \(path) \(shellQuoted(other))` and "
      + "`git restore -- \(path)` restore it)"
  }
}
