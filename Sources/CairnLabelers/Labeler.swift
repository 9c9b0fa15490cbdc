public import CairnBase
package import CairnDocument

/// A model that labels images: a service, a program, or a model file run on this machine.
///
/// Several threads call it at once, and it may block each of them, so it must not be called on the
/// threads of Swift concurrency.
package protocol Labeler: Sendable {
  /// Returns the identity of the model. Starts or loads what the model needs.
  func identity() throws(LabelerError) -> LabelerIdentity

  /// Returns the model's prediction for one image, with scores between 0 and 1, highest first.
  ///
  /// Retries where that makes sense; an error is final for now.
  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction

  /// Lets predictions that wait for somebody else fail soon, and all later ones. Without effect if
  /// the model computes on this thread.
  func interrupt()

  /// Ends what was started. Nothing may be called afterwards.
  func close()
}

extension Labeler {
  package func interrupt() {}
}

/// The identity of a model, as recorded in its run.
package struct LabelerIdentity: Sendable, Equatable {
  /// `model:NAME@VERSION`.
  package let model: Annotator
  /// The SHA-256 of the model, if known.
  package let digest: String?
  /// Whether responses report the exact version, so that `model` is provisional until the first
  /// one.
  package let isProvisional: Bool

  package init(model: Annotator, digest: String? = nil, isProvisional: Bool = false) {
    (self.model, self.digest, self.isProvisional) = (model, digest, isProvisional)
  }

  /// Returns this identity with the version reported by a prediction.
  package func stated(by prediction: Prediction) -> LabelerIdentity {
    guard isProvisional, let version = prediction.version, let name = model.model?.name,
      let stated = Annotator(model: "\(name)@\(version)")
    else { return self }
    return with(stated)
  }

  /// Returns this identity with another model.
  package func with(_ model: Annotator) -> LabelerIdentity {
    LabelerIdentity(model: model, digest: digest, isProvisional: isProvisional)
  }
}

/// The prediction of a model for one image.
public struct Prediction: Sendable, Equatable {
  /// A class that a model sees.
  public struct Finding: Sendable, Equatable {
    /// The model's name of the class.
    public var name: String
    /// Between 0 and 1.
    public var score: Double
    /// The box around it; nil for the whole image.
    public var box: NormalizedRect?

    package init(name: String, score: Double, box: NormalizedRect? = nil) {
      (self.name, self.score, self.box) = (name, score, box)
    }
  }

  /// A sentence about the image.
  public struct Caption: Sendable, Equatable {
    /// The sentence.
    public var text: String
    /// Between 0 and 1; 1 if the model reports none.
    public var score: Double

    package init(text: String, score: Double = 1) { (self.text, self.score) = (text, score) }
  }

  /// Sorted by score, highest first, then by name.
  public private(set) var findings: [Finding]
  /// The caption; nil if the model gives none.
  public var caption: Caption?
  /// The version of the model, if the response reports it.
  package var version: String?

  package init(_ findings: [Finding] = [], caption: Caption? = nil, version: String? = nil) {
    (self.caption, self.version) = (caption, version)
    self.findings = findings.sorted {
      $0.score == $1.score ? $0.name < $1.name : $0.score > $1.score
    }
  }

  /// Returns the findings of at most `count` classes with a score above zero and of at least `least`;
  /// of each class, at most one without a box, and at most `boxes` with one.
  package func best(_ count: Int, boxes: Int, from least: Double) -> [Finding] {
    var whole = Set<String>()
    var boxesByName: [String: Int] = [:]
    var names = Set<String>()
    return findings.filter { finding in
      guard finding.score > 0, finding.score >= least,
        names.contains(finding.name) || names.count < count
      else { return false }
      names.insert(finding.name)
      if finding.box == nil { return whole.insert(finding.name).inserted }
      boxesByName[finding.name, default: 0] += 1
      return boxesByName[finding.name] ?? 0 <= boxes
    }
  }
}

/// An error that prevented a prediction, with a message for people.
package struct LabelerError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Scope: Sendable {
    /// This photo failed; others may succeed.
    case photo
    /// Others may succeed, but after many such failures in a row, the labeler is given up.
    case doubtful
    /// Every photo would fail in the same way.
    case labeler
  }

  /// A sentence without its final period.
  package let message: String
  package let scope: Scope
  /// Whether a later attempt may succeed.
  package let isTransient: Bool
  /// What to do, as a sentence; nil if that is not known.
  package let hint: String?

  package init(
    _ message: String, scope: Scope = .photo, isTransient: Bool = false, hint: String? = nil
  ) {
    (self.message, self.scope, self.isTransient) = (message, scope, isTransient)
    self.hint = hint
  }

  package var description: String { message }
}
