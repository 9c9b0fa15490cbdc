public import CairnDocument
internal import CairnIndex
internal import CairnStore
internal import CairnSync

/// A run with the number of its labels.
public struct RunRecord: Sendable {
  /// The document of the run.
  public let run: Run
  /// The number of its labels that are not withdrawn.
  public let labels: Int
}

/// A run after an edit, and whether the edit changed anything.
public struct RunEdit: Sendable {
  /// The document after the edit.
  public let run: Run
  /// Whether the edit changed the document.
  public let changed: Bool
}

extension Dataset {
  /// Records that the current user starts a run of a model; labels can then refer to the run.
  ///
  /// - Parameter parameters: The parameters of the run.
  @discardableResult
  public func startRun(
    _ model: Annotator, parameters: JSONObject = [:]
  ) throws(CairnError) -> Run {
    try edit("run start", needsPerson: true) { try startRun(model, parameters: parameters, $0) }
  }

  /// - Parameter learned: The photos that the model learned from.
  func startRun(
    _ model: Annotator, parameters: JSONObject, learned: [PhotoID] = [], _ session: EditSession
  ) throws -> Run {
    guard model.model != nil else {
      throw CairnError(.invalidInput, "\(model.identity) is not a model.")
    }
    var run = Run(
      id: RunID(random: environment.random), annotator: model, by: try replica.person(),
      parameters: parameters, stamp: session.stamp())
    // More would not fit into a document.
    if learned.count <= Run.photoLimit { run.addLearned(learned) }
    try session.write([.run(run)])
    return run
  }

  /// Returns the runs with their numbers of labels, latest first.
  public func runs() throws(CairnError) -> [RunRecord] {
    try translating {
      try query { index in
        let counts = try index.labelCountsByRun()
        return try index.runs().sorted { ($0.started, $0.id) > ($1.started, $1.id) }
          .map { RunRecord(run: $0, labels: counts[$0.id] ?? 0) }
      }
    }
  }

  /// Returns the run with the given id, or a unique prefix of it with at least 4 digits.
  public func run(_ text: String) throws(CairnError) -> Run {
    try translating { try query { try run(text, in: $0) } }
  }

  func run(_ text: String, in index: IndexReader) throws -> Run {
    let text = text.lowercased()
    let runs = text.utf8.count < 4 ? [] : try index.runs(startingWith: text)
    if runs.count == 1 { return runs[0] }
    if runs.isEmpty {
      throw CairnError(
        .notFound, "There is no run “\(text)”.", hint: "`cairn run list` lists them.")
    }
    let list = runs.prefix(5).map(\.id.text).joined(separator: ", ")
    throw CairnError(
      .ambiguous, "“\(text)” matches \(runs.count) runs: \(list).", hint: "Give more digits.")
  }

  /// Withdraws a run, so that none of its labels counts, or restores it.
  @discardableResult
  public func setRunWithdrawn(
    _ id: RunID, _ withdrawn: Bool
  ) throws(CairnError) -> RunEdit {
    try edit(withdrawn ? "run withdraw" : "run restore") { session in
      var run = try existingRun(id)
      if run.withdrawn.value == withdrawn { return RunEdit(run: run, changed: false) }
      session.set(&run.withdrawn, to: withdrawn)
      try session.write([.run(run)])
      return RunEdit(run: run, changed: true)
    }
  }

  /// Returns a run that is not withdrawn, to which labels can refer.
  func activeRun(_ id: RunID) throws -> Run {
    let run = try existingRun(id)
    guard !run.withdrawn.value else {
      throw CairnError(
        .invalidInput, "The run \(id.text.prefix(8)) is withdrawn: its labels would not count.",
        hint: "`cairn run restore \(id.text.prefix(8))` restores it.")
    }
    return run
  }

  private func existingRun(_ id: RunID) throws -> Run {
    guard case .run(let run)? = try replica.document(at: .run(id)) else {
      throw CairnError(
        .notFound, "There is no run \(id).", hint: "`cairn run list` lists them.")
    }
    return run
  }
}
