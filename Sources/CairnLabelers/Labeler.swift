public import CairnDocument

/// A model that labels images: a service, a program, or a model file run on this machine.
///
/// Several threads call it at once, and it may block each of them, so it must not be called on the
/// threads of Swift concurrency.
public protocol Labeler: Sendable {
  /// Returns the identity of the model. Starts or loads what the model needs.
  func identity() throws(LabelerError) -> LabelerIdentity

  /// Returns the model's prediction for one image, with scores between 0 and 1, highest first.
  ///
  /// Retries where that makes sense; an error is final for now.
  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction

  /// Ends what was started. Nothing may be called afterwards.
  func close()
}

/// The identity of a model, as recorded in its run.
public struct LabelerIdentity: Sendable, Equatable {
  /// `model:NAME@VERSION`.
  public let model: Annotator
  /// The SHA-256 of the model, if known.
  public let digest: String?
  /// Whether responses report the exact version, so that `model` is provisional until the first
  /// one.
  public let isProvisional: Bool

  public init(model: Annotator, digest: String? = nil, isProvisional: Bool = false) {
    (self.model, self.digest, self.isProvisional) = (model, digest, isProvisional)
  }

  /// Returns this identity with the version reported by a prediction.
  public func stated(by prediction: Prediction) -> LabelerIdentity {
    guard isProvisional, let version = prediction.version, let name = model.model?.name,
      let stated = Annotator(model: "\(name)@\(version)")
    else { return self }
    return with(stated)
  }

  /// Returns this identity with another model.
  public func with(_ model: Annotator) -> LabelerIdentity {
    LabelerIdentity(model: model, digest: digest, isProvisional: isProvisional)
  }
}

/// A box in fractions (0 to 1) of the upright image, from its top left corner.
public struct NormalizedRect: Sendable, Equatable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}

/// The prediction of a model for one image.
public struct Prediction: Sendable, Equatable {
  public struct Finding: Sendable, Equatable {
    /// The model's name of the class.
    public var name: String
    /// Between 0 and 1.
    public var score: Double
    public var box: NormalizedRect?

    public init(name: String, score: Double, box: NormalizedRect? = nil) {
      (self.name, self.score, self.box) = (name, score, box)
    }
  }

  public struct Caption: Sendable, Equatable {
    public var text: String
    /// Between 0 and 1; 1 if the model reports none.
    public var score: Double

    public init(text: String, score: Double = 1) { (self.text, self.score) = (text, score) }
  }

  /// Sorted by score, highest first, then by name.
  public private(set) var findings: [Finding]
  public var caption: Caption?
  /// The version of the model, if the response reports it.
  public var version: String?

  public init(_ findings: [Finding] = [], caption: Caption? = nil, version: String? = nil) {
    (self.caption, self.version) = (caption, version)
    self.findings = findings.sorted {
      $0.score == $1.score ? $0.name < $1.name : $0.score > $1.score
    }
  }

  /// Returns at most `count` findings with a score above zero and of at least `least`; of several
  /// findings of a class without a box, only the highest.
  public func best(_ count: Int, from least: Double) -> [Finding] {
    var names = Set<String>()
    var best: [Finding] = []
    for finding in findings where finding.score > 0 && finding.score >= least {
      if finding.box == nil, !names.insert(finding.name).inserted { continue }
      best.append(finding)
      if best.count == count { break }
    }
    return best
  }
}

/// An error that prevented a prediction, with a message for people.
public struct LabelerError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Scope: Sendable {
    /// This photo failed; others may succeed.
    case photo
    /// Others may succeed, but after many such failures in a row, the labeler is given up.
    case doubtful
    /// Every photo would fail in the same way.
    case labeler
  }

  /// A sentence without its final period.
  public let message: String
  public let scope: Scope
  /// Whether a later attempt may succeed.
  public let isTransient: Bool

  public init(_ message: String, scope: Scope = .photo, isTransient: Bool = false) {
    (self.message, self.scope, self.isTransient) = (message, scope, isTransient)
  }

  public var description: String { message }
}
