package import CairnDocument

/// The rules that resolve the labels of a dataset.
package struct ResolutionRules: Equatable, Sendable {
  package var people: PeoplePolicy
  /// The minimum confidence for a model's label to count.
  package var threshold: Double
  /// Thresholds of single models, by name.
  package var thresholds: [String: Double]
  package var classes: ClassTable
  package var withdrawnRuns: Set<RunID>
  package var mailmap: Mailmap
  /// For the policy `dawid-skene`: the error rates of people, for each class and set that several
  /// people rated on the same photos. They depend on all votes, so the index holds them, not a
  /// document.
  package var consensus: [RatedItem: Consensus] = [:]

  package init(
    people: PeoplePolicy = .majority, threshold: Double = 0.5, thresholds: [String: Double] = [:],
    classes: ClassTable = ClassTable(), withdrawnRuns: Set<RunID> = [],
    mailmap: Mailmap = Mailmap()
  ) {
    (self.people, self.threshold, self.thresholds) = (people, threshold, thresholds)
    (self.classes, self.withdrawnRuns, self.mailmap) = (classes, withdrawnRuns, mailmap)
  }

  /// Creates the rules from the documents of a dataset.
  package init(
    _ manifest: Manifest, classes: some Sequence<LabelClass> = [],
    withdrawnRuns: Set<RunID> = [], mailmap: String = ""
  ) {
    self.init(
      people: manifest.people.value, threshold: manifest.threshold.value.value,
      thresholds: manifest.thresholds.compactMapValues { $0.value?.value },
      classes: ClassTable(classes), withdrawnRuns: withdrawnRuns, mailmap: Mailmap(mailmap))
  }

  /// Returns the minimum confidence for a label of the model called `model` to count.
  package func threshold(of model: String) -> Double { thresholds[model] ?? threshold }

  /// Returns the resolution of every class in `labels`, all of one photo, sorted by key. Classes
  /// without a label that counts are left out.
  ///
  /// - People override models by rule, never by time: a model's label counts only if no person has
  ///   labeled the class.
  /// - Each annotator's last label counts. A label of the whole photo replaces the annotator's own
  ///   earlier region labels with another verdict; several regions are one vote, present if any
  ///   region is.
  /// - For a model, the version with the latest label of the photo counts, from its threshold on.
  /// - Only one class of an exclusive set can be confirmed: naming one class means that the others
  ///   are absent.
  package func resolve(_ labels: some Sequence<Label>) -> [Resolution] {
    explain(labels).filter { $0.state != .open }
  }

  /// Returns the resolution of every class that has a label, including classes where none counts.
  package func explain(_ labels: some Sequence<Label>) -> [Resolution] {
    LabelResolver(labels, rules: self).resolutions()
  }

  /// Returns a person's verdict on each class of a photo. Classes whose labels they withdrew, or
  /// replaced by another class of the same exclusive set, are left out.
  package func verdicts(
    of person: Annotator, in labels: some Sequence<Label>
  ) -> [ClassKey: Verdict] {
    let resolver = LabelResolver(labels, rules: self)
    let annotator = mailmap.person(person)
    let own = resolver.active.map { resolver.entries[$0] }.filter { $0.annotator == annotator }
    return Dictionary(grouping: own, by: \.classKey).mapValues { entries in
      entries.contains { $0.label.verdict == .present } ? .present : .absent
    }
  }
}
