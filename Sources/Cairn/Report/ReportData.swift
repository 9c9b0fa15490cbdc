internal import CairnDocument
internal import CairnIndex
internal import CairnMerge

/// The contents of a report, gathered in one read of a dataset.
struct ReportData {
  struct PerClass {
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
  /// The number of people's labels on visible photos, without withdrawn ones.
  let peopleLabels: Int
  let modelLabels: Int
  /// Sorted by the number of photos, most first; then by key.
  let classes: [PerClass]
  let agreement: AgreementMetrics
  let models: [ModelMetrics]
  /// JPEGs of photos; empty for a report without images.
  var images: [PhotoID: [UInt8]] = [:]

  /// The photos on which models are mistaken.
  var mistakes: [PhotoID] { models.flatMap { $0.mistakes.map(\.photo) } }
}

extension Dataset {
  func reportData() throws -> ReportData {
    let commit = try replica.repository.head()?.description
    let name = try replica.manifest().name.value
    return try withMetricsScope(MetricsScope()) { index, rules, _, _ in
      let annotators = try index.annotators()
      var people = AgreementAccumulator(rules: rules, annotators: annotators)
      let runs = try index.runs()
      var models = MetricsAccumulator(
        rules: rules, models: annotators.filter { !$0.isHuman } + runs.map(\.annotator),
        records: RunRecords(runs))
      var (peopleLabels, modelLabels) = (0, 0)
      try index.forEachLabeledPhoto { photo, labels in
        people.add(labels)
        try models.add(labels, of: photo) { try index.imageSize(of: photo) }
        for label in labels where label.verdict != .withdrawn {
          if label.annotator.isHuman { peopleLabels += 1 } else { modelLabels += 1 }
        }
      }
      let classes = try index.photoCountsByState().map { key, states in
        (
          key: key,
          row: ReportData.PerClass(
            name: rules.classes.name(of: key), set: rules.classes.set(of: key), states: states)
        )
      }.sorted { ($1.row.total, $0.key) < ($0.row.total, $1.key) }
      let counts = try index.counts()
      return ReportData(
        name: name, commit: commit, photos: counts.photos, pins: counts.pins,
        peopleLabels: peopleLabels, modelLabels: modelLabels, classes: classes.map(\.row),
        agreement: people.agreement(), models: models.metrics(of: nil))
    }
  }
}
