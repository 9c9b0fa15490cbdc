internal import Cairn
internal import Hummingbird

/// Training models on what people labeled.
enum TrainingRoutes {
  static let all = [Route(.post, "/api/trainings", start)]

  /// The kind of the jobs.
  private static let kind = "train"

  /// The time between two looks at the labels.
  private static let watchInterval = Duration.seconds(1)

  private static func start(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let training = try TrainingRequest(body)
    let interval = try body.integer("every", 1...10_000)
    let (server, person) = (request.server, request.session.person)
    // One takes all processors, and one that watches takes the place of another job for hours.
    let text = "Training of \(training.name)"
    let job = try server.jobs.start(kind, text, person, ifOther: .training) { job in
      guard let interval else { return try await train(training, job, server).answer }
      return try await trainRepeatedly(
        training, RepeatedTraining(every: interval), job, server)
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }

  private static func train(
    _ training: TrainingRequest, _ job: Job, _ server: ServerState
  ) async throws -> TrainingReport {
    let report = try await server.library.runLong(as: job.person, for: job) {
      try $0.train(training)
    }
    server.events.send("runs", [:])
    return report
  }

  /// Trains again whenever people have labeled enough more photos, until more would add little.
  ///
  /// - Returns: The last report; its `note` is the reason why the last attempt made no model.
  private static func trainRepeatedly(
    _ training: TrainingRequest, _ first: RepeatedTraining, _ job: Job, _ server: ServerState
  ) async throws -> JSON {
    try await server.library.runLong(as: job.person, for: job) { try $0.checkTraining(training) }
    var repeated = first
    var answer: JSONObject = [:]
    while !repeated.isFlat {
      let labels = try await labels(
        LabelWatch(training, since: repeated.labels, photos: repeated.photos), repeated.photos,
        job, server)
      do {
        let report = try await train(training, job, server)
        repeated.add(report)
        answer = report.answer.object ?? [:]
      } catch let error as CairnError {
        // The obstacle stays in the answer, so it does not matter whether it is a new one.
        _ = try repeated.add(error, with: labels)
        answer["note"] = .string(error.message)
      }
      job.keep(.object(answer))
    }
    return .object(answer)
  }

  /// Waits for labels without keeping a thread busy.
  private static func labels(
    _ watch: LabelWatch, _ total: Int, _ job: Job, _ server: ServerState
  ) async throws -> TrainingSet {
    var watch = watch
    var reported: (step: String, changed: Int)?
    while true {
      try job.checkCancellation()
      let (next, labels) = try await server.library.read(as: job.person) {
        [watch] dataset -> (LabelWatch, TrainingSet?) in
        var watch = watch
        let labels = try watch.enoughLabels(in: dataset)
        return (watch, labels)
      }
      if let labels { return labels }
      watch = next
      let state = (step: watch.step, changed: watch.changed)
      // The events that a page may have missed are limited in number.
      if reported.map({ $0 == state }) != true {
        job.report(state.step, state.changed, total, always: true)
        reported = state
      }
      try await Task.sleep(for: watchInterval)
    }
  }
}

extension TrainingRequest {
  /// A training as a client describes it. A client cannot name files of this computer.
  fileprivate init(_ body: JSONObject) throws {
    self.init(name: try body.required("name"))
    guard name.utf8.count <= 64 else {
      throw ServeError.invalid("“name” must have at most 64 characters.")
    }
    let (set, classes) = (try body.text("exclusiveSet"), try body.texts("classes"))
    guard set == nil || classes.isEmpty else {
      throw ServeError.invalid("“exclusiveSet” and “classes” cannot be combined.")
    }
    subject = classes.isEmpty ? .exclusiveSet(set) : .classes(classes)
    if let text = try body.text("query"), !text.isEmpty {
      query = try PhotoQuery(text)
      queryText = text
    }
    split = try body.text("split")
    groupsByPin = try body.flag("groupByPin")
  }
}

extension TrainingReport {
  /// The report, with numbers instead of the photos that were left out, and without the model's path.
  fileprivate var answer: JSON {
    var members = json.object ?? [:]
    members["file"] = nil
    members["flat"] = .bool(isLearningCurveFlat)
    let photos = [
      "erasedImages", "missingImages", "testDuplicates", "uncomparedImages", "uncopiedImages",
      "undecodableImages",
    ]
    for name in photos { members[name] = JSON(members[name]?.array?.count ?? 0) }
    return .object(members)
  }
}
