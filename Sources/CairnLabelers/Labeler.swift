public import CairnDocument

/// A model that says what is on an image: a service, a program, or a file that is run here.
///
/// It is asked by several threads at once, each of which it may keep waiting, so that it must not be
/// asked on the threads of Swift's concurrency.
public protocol Labeler: Sendable {
  /// Returns which model answers. What the model needs is started or loaded for that.
  func identity() throws(LabelerError) -> LabelerIdentity

  /// Returns what the model says of one image: scores between 0 and 1, highest first.
  ///
  /// It tries again by itself where that makes sense; what it throws is the end of it for now.
  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction

  /// Ends what was started. Nothing may be asked any more.
  func close()
}

/// Which model answers, as its run tells it.
public struct LabelerIdentity: Sendable, Equatable {
  /// `model:NAME@VERSION`.
  public let model: Annotator
  /// The SHA-256 of what answers, where that is known.
  public let digest: String?
  /// Whether answers say which version it is, so that `model` is only what is known before the first.
  public let isProvisional: Bool

  public init(model: Annotator, digest: String? = nil, isProvisional: Bool = false) {
    (self.model, self.digest, self.isProvisional) = (model, digest, isProvisional)
  }

  /// Returns the same with the version that an answer states.
  public func stated(by prediction: Prediction) -> LabelerIdentity {
    guard isProvisional, let version = prediction.version, let name = model.model?.name,
      let stated = Annotator(model: "\(name)@\(version)")
    else { return self }
    return with(stated)
  }

  /// Returns the same of another model.
  public func with(_ model: Annotator) -> LabelerIdentity {
    LabelerIdentity(model: model, digest: digest, isProvisional: isProvisional)
  }
}

/// A box in fractions (0 to 1) of the upright image, from its top left corner.
public struct UnitBox: Sendable, Equatable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}

/// What a model says of one image.
public struct Prediction: Sendable, Equatable {
  public struct Finding: Sendable, Equatable {
    /// The class as the model calls it.
    public var name: String
    /// Between 0 and 1.
    public var score: Double
    public var box: UnitBox?

    public init(name: String, score: Double, box: UnitBox? = nil) {
      (self.name, self.score, self.box) = (name, score, box)
    }
  }

  public struct Caption: Sendable, Equatable {
    public var text: String
    /// Between 0 and 1; 1 where the model does not say.
    public var score: Double

    public init(text: String, score: Double = 1) { (self.text, self.score) = (text, score) }
  }

  /// Highest score first; of equal ones, by name.
  public private(set) var findings: [Finding]
  public var caption: Caption?
  /// The version of the model, where the answer states it.
  public var version: String?

  public init(_ findings: [Finding] = [], caption: Caption? = nil, version: String? = nil) {
    (self.caption, self.version) = (caption, version)
    self.findings = findings.sorted {
      $0.score == $1.score ? $0.name < $1.name : $0.score > $1.score
    }
  }

  /// The findings of at least `least` and above zero, so many of them at most; of a class that is found
  /// more than once without a box, the highest.
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

/// Why there is no prediction, for people.
public struct LabelerError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Scope: Sendable {
    /// Other photos may fare better.
    case photo
    /// Other photos may fare better, but where many in a row fail like this, none will.
    case doubtful
    /// It would be the same for every photo.
    case labeler
  }

  /// A sentence without its full stop.
  public let message: String
  public let scope: Scope
  /// Whether the same may succeed at another time.
  public let isTransient: Bool

  public init(_ message: String, scope: Scope = .photo, isTransient: Bool = false) {
    (self.message, self.scope, self.isTransient) = (message, scope, isTransient)
  }

  public var description: String { message }
}
