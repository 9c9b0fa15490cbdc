internal import CairnDocument
internal import CairnIndex
internal import CairnMerge

/// What a report tells of a dataset, gathered in one reading.
struct Survey {
  struct OfClass {
    let name: String
    let set: ClassKey?
    let states: [Resolution.State: Int]

    var total: Int { states.values.reduce(0, +) }
  }

  let name: String
  /// In hexadecimal; nil before the first commit.
  let commit: String?
  let photos: Int
  let pins: Int
  /// Statements on photos in view that were not taken back.
  let peopleLabels: Int
  let modelLabels: Int
  /// By the number of photos, the most first; then by key.
  let classes: [OfClass]
  let agreement: Agreement
  let models: [ModelFigures]
}

extension Dataset {
  func gatherSurvey() throws -> Survey {
    let commit = try replica.repository.head()?.description
    let name = try replica.manifest().name.value
    return try survey(TrustScope()) { index, rules, _, _ in
      let annotators = try index.annotators()
      var people = AgreementCount(rules: rules, annotators: annotators)
      var models = ModelCount(rules: rules, models: annotators.filter { !$0.isHuman })
      var (peopleLabels, modelLabels) = (0, 0)
      try index.forEachLabelledPhoto { _, labels in
        people.add(rules.opinions(labels))
        models.add(labels)
        for label in labels where label.verdict != .withdrawn {
          if label.annotator.isHuman { peopleLabels += 1 } else { modelLabels += 1 }
        }
      }
      let classes = try index.photoCountsByState().map { key, states in
        (
          key: key,
          row: Survey.OfClass(
            name: rules.classes.name(of: key), set: rules.classes.set(of: key), states: states)
        )
      }.sorted { ($1.row.total, $0.key) < ($0.row.total, $1.key) }
      let counts = try index.counts()
      return Survey(
        name: name, commit: commit, photos: counts.photos, pins: counts.pins,
        peopleLabels: peopleLabels, modelLabels: modelLabels, classes: classes.map(\.row),
        agreement: people.agreement(of: nil), models: models.figures(of: nil))
    }
  }
}
