public import CairnDocument

/// What a dataset holds to be true of one class on one photo.
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
  }

  public let classKey: ClassKey
  public let state: State
  /// For `predicted` the highest confidence that counts; else the share of people who say so.
  public let confidence: Double
  /// The reason, in words.
  public let because: String

  public init(classKey: ClassKey, state: State, confidence: Double, because: String) {
    (self.classKey, self.state) = (classKey, state)
    (self.confidence, self.because) = (confidence, because)
  }
}

/// How the labels of a dataset are resolved.
public struct ResolutionPolicy: Equatable, Sendable {
  public var people: PeoplePolicy
  public var threshold: Double

  public init(people: PeoplePolicy = .majority, threshold: Double = 0.5) {
    (self.people, self.threshold) = (people, threshold)
  }

  public init(_ manifest: Manifest) {
    self.init(people: manifest.people.value, threshold: manifest.threshold.value.value)
  }

  /// Returns the resolution of every class that `labels`, all of one photo, speak of, sorted by
  /// class; a class of which nothing counts is left out.
  ///
  /// People decide over models by rule, never by time: a model's label counts only where no person
  /// has spoken. Several regions of one class are one statement: present where any is that is not
  /// older than what its annotator says of the whole photo.
  public func resolve(_ labels: some Sequence<Label>) -> [Resolution] {
    Dictionary(grouping: labels.filter { $0.verdict != .withdrawn }, by: \.classKey)
      .sorted { $0.key < $1.key }
      .compactMap { classKey, labels in
        let people = labels.filter(\.annotator.isHuman)
        return people.isEmpty
          ? prediction(of: classKey, from: labels) : decision(on: classKey, by: people)
      }
  }

  private func decision(on classKey: ClassKey, by labels: [Label]) -> Resolution {
    let statements = Dictionary(grouping: labels, by: \.annotator).mapValues { labels in
      // What one says of the whole photo takes back one's own regions of before.
      let whole = labels.first { $0.region == nil }
      return labels.contains { label in
        label.verdict == .present && (whole.map { label.stamp >= $0.stamp } ?? true)
      }
    }
    let present = statements.filter(\.value).keys.sorted()
    let absent = statements.filter { !$0.value }.keys.sorted()
    let share = Double(max(present.count, absent.count)) / Double(statements.count)
    func resolution(_ isPresent: Bool, _ share: Double, _ because: String) -> Resolution {
      Resolution(
        classKey: classKey, state: isPresent ? .confirmed : .rejected, confidence: share,
        because: because)
    }

    if present.isEmpty || absent.isEmpty {
      let names = ResolutionPolicy.names(present + absent)
      let says = statements.count == 1 ? "says" : "say"
      return resolution(
        absent.isEmpty, 1, "\(names) \(says) \(absent.isEmpty ? "present" : "absent")")
    }
    let sides =
      "\(ResolutionPolicy.names(present)) against \(ResolutionPolicy.names(absent))"
    switch people {
    case .latest:
      let last = labels.max { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }!
      return resolution(
        statements[last.annotator]!, share, "\(last.annotator.identity) spoke last (\(sides))")
    case .majority where present.count != absent.count:
      let (more, fewer) = (max(present.count, absent.count), min(present.count, absent.count))
      return resolution(
        present.count > absent.count, share, "a majority of \(more) to \(fewer) (\(sides))")
    case .majority:
      return Resolution(
        classKey: classKey, state: .disputed, confidence: share,
        because: "people are divided \(present.count) to \(absent.count) (\(sides))")
    case .unanimous:
      return Resolution(
        classKey: classKey, state: .disputed, confidence: share,
        because: "people must be unanimous (\(sides))")
    }
  }

  private func prediction(of classKey: ClassKey, from labels: [Label]) -> Resolution? {
    let counting = newestVersions(labels).filter {
      $0.verdict == .present && $0.confidence.double >= threshold
    }
    let best = counting.max {
      ($0.confidence.double, $0.annotator) < ($1.confidence.double, $1.annotator)
    }
    guard let best else { return nil }
    return Resolution(
      classKey: classKey, state: .predicted, confidence: best.confidence.double,
      because: "\(best.annotator.identity) says \(best.confidence.text), no person has spoken")
  }

  /// Returns, of each model, the labels of the version that spoke last.
  private func newestVersions(_ labels: [Label]) -> [Label] {
    Dictionary(grouping: labels) { $0.annotator.model?.name ?? "" }.values.flatMap { labels in
      let newest = labels.max { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }!.annotator
      return labels.filter { $0.annotator == newest }
    }
  }

  private static func names(_ annotators: [Annotator]) -> String {
    let names = annotators.map(\.identity)
    return names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names.last!
  }
}
