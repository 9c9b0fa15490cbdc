public import CairnDocument

/// The resolution of one class on one photo, with its reason.
public struct Resolution: Equatable, Sendable {
  /// The outcome of all labels of a class on a photo.
  public enum State: String, Sendable, CaseIterable {
    /// People labeled it as present.
    case confirmed
    /// People labeled it as absent.
    case rejected
    /// No person has labeled it; a model counts it as present.
    case predicted
    /// People disagree.
    case disputed
    /// No label of it counts.
    case open
  }

  /// The class, aliases followed.
  public let classKey: ClassKey
  /// The display name of the class.
  public let name: String
  /// The outcome.
  public let state: State
  /// For `predicted`, the highest confidence that counts; otherwise the share of people who agree
  /// with the resolution or, if they disagree under the policy `dawid-skene`, its probability.
  public let confidence: Double
  /// Why the outcome is what it is.
  public let reason: ResolutionReason
  /// Every label of the class, including aliases: people's first, then by time.
  public let evidence: [Evidence]
}

/// A label with its status in the resolution of its class.
public struct Evidence: Equatable, Sendable {
  /// The label.
  public let label: Label
  /// The annotator that the label counts for: a person under their proper address, or a model.
  public let annotator: Annotator
  /// Whether the label counts and, if not, why.
  public let status: LabelStatus
}

/// The status of a label in the resolution of its class.
public enum LabelStatus: Equatable, Sendable {
  case counted
  /// Counted, but more people disagree.
  case outvoted
  /// A later label of another person decides, under the policy `latest`.
  case notLatest(by: Annotator)
  /// The annotator withdrew it.
  case withdrawn
  /// Its run was withdrawn.
  case runWithdrawn(RunID)
  /// The annotator has a later label: of the whole photo, under another key or address, or of
  /// another class of the same exclusive set.
  case superseded(by: Label)
  /// Another version of the model has a later label.
  case olderVersion(than: Annotator)
  /// People have labeled the class, and they override models.
  case overruled
  /// A model labeled it as absent, which decides nothing.
  case absence
  case belowThreshold(Double)
  /// The model is more confident of another class of the same exclusive set.
  case secondChoice(after: Label)
  /// Another model is more confident of another class of the same exclusive set.
  case lessConfident(than: Label)

  /// Whether the label counts, even if it was outvoted.
  public var counts: Bool { self == .counted || self == .outvoted }

  /// A stable identifier for programs.
  public var code: String {
    switch self {
    case .counted: "counted"
    case .outvoted: "outvoted"
    case .notLatest: "spoken-over"
    case .withdrawn: "withdrawn"
    case .runWithdrawn: "run-withdrawn"
    case .superseded: "superseded"
    case .olderVersion: "older-version"
    case .overruled: "overruled"
    case .absence: "absence"
    case .belowThreshold: "below-threshold"
    case .secondChoice: "second-choice"
    case .lessConfident: "less-sure"
    }
  }
}
