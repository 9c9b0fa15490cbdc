public import CairnDocument

/// All rules by which the labels of a dataset become what it holds to be true.
public struct ResolutionRules: Equatable, Sendable {
  public var people: PeoplePolicy
  /// The confidence from which a model's label counts.
  public var threshold: Double
  /// Thresholds of single models, by name.
  public var thresholds: [String: Double]
  public var classes: ClassTable
  public var withdrawnRuns: Set<RunID>
  public var mailmap: Mailmap
  /// For the policy `dawid-skene`: how people err, of each class and set that several people rated photos
  /// of. It depends on all that people say, so it is not in any one document: the index has it.
  public var consensus: [OpinionSubject: Consensus] = [:]

  public init(
    people: PeoplePolicy = .majority, threshold: Double = 0.5, thresholds: [String: Double] = [:],
    classes: ClassTable = ClassTable(), withdrawnRuns: Set<RunID> = [],
    mailmap: Mailmap = Mailmap()
  ) {
    (self.people, self.threshold, self.thresholds) = (people, threshold, thresholds)
    (self.classes, self.withdrawnRuns, self.mailmap) = (classes, withdrawnRuns, mailmap)
  }

  /// Takes the rules from the documents of a dataset.
  public init(
    _ manifest: Manifest, classes: some Sequence<LabelClass> = [],
    withdrawnRuns: Set<RunID> = [], mailmap: String = ""
  ) {
    self.init(
      people: manifest.people.value, threshold: manifest.threshold.value.value,
      thresholds: manifest.thresholds.compactMapValues { $0.value?.value },
      classes: ClassTable(classes), withdrawnRuns: withdrawnRuns, mailmap: Mailmap(mailmap))
  }

  /// Returns the confidence from which a label of the model called `model` counts.
  public func threshold(of model: String) -> Double { thresholds[model] ?? threshold }

  /// Returns the resolution of every class that `labels`, all of one photo, speak of, sorted by key;
  /// a class of which nothing counts is left out.
  ///
  /// - People decide over models by rule, never by time: a model's label counts only where no person
  ///   has spoken.
  /// - Of each annotator the last word counts. What one says of the whole photo takes back one's own
  ///   regions of before that say otherwise; several regions are one statement, present where any is.
  /// - Of a model the version that spoke last of the photo counts, from its threshold on.
  /// - Of an exclusive set only one class can stand: who names one says that the others are absent.
  public func resolve(_ labels: some Sequence<Label>) -> [Resolution] {
    explain(labels).filter { $0.state != .open }
  }

  /// Returns the resolution of every class that has a label, also where nothing counts.
  public func explain(_ labels: some Sequence<Label>) -> [Resolution] {
    Hearing(labels, rules: self).resolutions()
  }
}
