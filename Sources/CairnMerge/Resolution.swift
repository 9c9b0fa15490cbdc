public import CairnDocument

/// What a dataset holds to be true of one class on one photo, and why.
public struct Resolution: Equatable, Sendable {
  public enum State: String, Sendable, CaseIterable {
    /// People say it is there.
    case confirmed
    /// People say it is not there.
    case rejected
    /// No person has spoken; a model counts it as there.
    case predicted
    /// People disagree.
    case disputed
    /// Nothing that was said of it counts.
    case open
  }

  /// The class, aliases followed.
  public let classKey: ClassKey
  /// What people call the class.
  public let name: String
  public let state: State
  /// For `predicted` the highest confidence that counts; else the share of people who say so, or under
  /// the policy `dawid-skene`, where they differ, how likely it is.
  public let confidence: Double
  /// The reason, in words.
  public let because: String
  /// Every label of the class, under whichever of its keys: people's first, then by time.
  public let evidence: [Evidence]
}

/// A label, and what became of it when its class was resolved.
public struct Evidence: Equatable, Sendable {
  public let label: Label
  /// Whom it counts for: a person under their proper address, or a model.
  public let annotator: Annotator
  /// ``ResolutionRules/because(_:)`` puts it in words.
  public let standing: Standing
}

/// What became of a label when its class was resolved.
public enum Standing: Equatable, Sendable {
  case counted
  /// Counted, and more people say otherwise.
  case outvoted
  /// Somebody spoke later, and the last word of a person decides.
  case spokenOver(by: Annotator)
  /// Taken back.
  case withdrawn
  /// Its run was taken back.
  case runWithdrawn(RunID)
  /// Its annotator said something later: of the whole photo, under another key or address, or of
  /// another class of the same exclusive set.
  case superseded(by: Label)
  /// Another version of the model spoke later.
  case olderVersion(than: Annotator)
  /// A person has spoken, and people decide over models.
  case overruled
  /// A model says it is not there, which settles nothing.
  case absence
  case belowThreshold(Double)
  /// The model is surer of another class of the same exclusive set.
  case secondChoice(after: Label)
  /// Another model is surer of another class of the same exclusive set.
  case lessSure(than: Label)

  public var counts: Bool { self == .counted || self == .outvoted }

  /// A word that programs may rely on.
  public var code: String {
    switch self {
    case .counted: "counted"
    case .outvoted: "outvoted"
    case .spokenOver: "spoken-over"
    case .withdrawn: "withdrawn"
    case .runWithdrawn: "run-withdrawn"
    case .superseded: "superseded"
    case .olderVersion: "older-version"
    case .overruled: "overruled"
    case .absence: "absence"
    case .belowThreshold: "below-threshold"
    case .secondChoice: "second-choice"
    case .lessSure: "less-sure"
    }
  }
}
