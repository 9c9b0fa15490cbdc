internal import Cairn
internal import CairnBase
internal import Hummingbird
internal import Synchronization

/// Undo: one's latest actions on this device, without limit.
enum UndoRoutes {
  static let all = [
    Route(.post, "/api/undo", undo), Route(.get, "/api/actions", actions),
  ]

  private static func actions(_ request: APIRequest) async throws -> Response {
    let limit = try request.integer("limit", 1...500, default: 50)
    let all = try await request.server.library.inspect(as: request.session.person) {
      try $1.editor($0).actions()
    }
    return .json([
      (
        "actions",
        .array(
          all.suffix(limit).reversed().map {
            [
              "action": .string("a\($0.number)"), "photos": JSON($0.count),
              "text": .string($0.text), "time": .string(RFC3339.text(milliseconds: $0.time)),
            ]
          })
      ), ("left", JSON(all.count)),
    ])
  }

  /// What became of a request to undo.
  private enum Step: Sendable {
    case edit(UndoneEdit, left: Int)
    case review(UndoneAnswer)
    /// It takes long.
    case job(Job)
    /// An edit was stopped before it changed anything.
    case stopped(Job, left: Int)
    /// The latest action is not the one that was to be undone.
    case later
    case none
  }

  /// An answer of a review that was undone.
  private struct UndoneAnswer: Sendable {
    /// Nil if it was given in the terminal.
    let action: EditAction?
    let review: UndoneReview
    /// Nil if it needs no answer any more.
    let question: QuestionView?
    let left: Int
  }

  private static func undo(_ request: APIRequest) async throws -> Response {
    let (server, person) = (request.server, request.session.person)
    switch try await latest(request["action"], request) {
    case .later:
      throw ServeError.conflict("There is a later action. Nothing was undone.", [])
    case .none:
      throw ServeError(
        status: .notFound, kind: "not-found", message: "There is nothing to undo.")
    case .job(let job): return .json([("job", .string(job.id))], status: .accepted)
    case .stopped(let job, let left): return .json(job.undone(left))
    case .review(let undone): return try await response(undone, request)
    case .edit(let undone, let left):
      server.didUndo(undone, by: person, request.client)
      // It may be the answer to “What is it?”.
      request.session.progress.withLock { $0.undo(undone.action.number, isLeft: false) }
      var json = undone.json(left).object ?? [:]
      json["photos"] = try await request.rows(of: undone.photos)
      return .json(.object(json))
    }
  }

  /// When the latest action can be undone.
  private enum Turn: Sendable {
    case now(Step)
    /// After the job, which is canceled if it is an edit.
    ///
    /// - Parameter left: The number of actions before it.
    case after(Job, left: Int)
  }

  /// Undoes the latest action. If that is an edit that is still running, perhaps for another page,
  /// it is stopped first.
  private static func latest(_ wanted: String?, _ request: APIRequest) async throws -> Step {
    let (server, person) = (request.server, request.session.person)
    while true {
      // In one write: another request must not see the same action before it is undone.
      let turn = try await server.library.write(as: person) { dataset, state -> Turn in
        let actions = try state.editor(dataset).actions()
        guard let running = latestJob(server.jobs.edits(of: person), actions.last?.number ?? 0)
        else { return .now(try undo(wanted, request, dataset, state)) }
        return wanted == nil || running.kind == "undo"
          ? .after(running, left: actions.count) : .now(.later)
      }
      switch turn {
      case .now(let step): return step
      case .after(let job, let left):
        let isEdit = job.kind == "edit"
        if isEdit { job.cancel() }
        await job.waitForEnd()
        // The action before it stays.
        if isEdit, job.action == nil { return .stopped(job, left: left) }
      }
    }
  }

  /// Returns the job that is undone or waited for before the last action; nil if that came later
  /// than all of them.
  ///
  /// An action that came between the batches of an edit is undone alone.
  static func latestJob(_ jobs: [Job], _ last: Int) -> Job? {
    let own = jobs.firstIndex { $0.action == last } ?? jobs.endIndex
    let index = jobs.indices.last { index in
      let job = jobs[index]
      // An edit that has changed nothing is later than the actions before its start, and than those
      // of edits that were started before it.
      return job.kind == "undo"
        || job.action.map { $0 >= last } ?? (job.begun >= last || index > own)
    }
    return index.map { jobs[$0] }
  }

  /// Undoes the latest action: of the page, or an answer of a review in the terminal.
  private static func undo(
    _ wanted: String?, _ request: APIRequest, _ dataset: Dataset, _ state: WriterState
  ) throws -> Step {
    let editor = try state.editor(dataset)
    while true {
      let actions = try editor.actions()
      guard let last = actions.last else {
        return wanted == nil ? try undoAnswer(nil, left: 0, dataset, state) : .later
      }
      var answer: EditAction?
      if editor.isReview(last) {
        let answers = try state.review(dataset).answers
        let own = editor.answer(of: last) ?? answers.last
        guard let own, answers.contains(own) else {
          // It was undone in the terminal.
          try editor.endReview(last)
          continue
        }
        // A later answer was given in the terminal.
        if own != answers.last {
          return wanted == nil
            ? try undoAnswer(nil, left: actions.count, dataset, state) : .later
        }
        answer = last
      }
      if let wanted, wanted != "a\(last.number)" { return .later }
      let left = actions.count - 1
      if answer != nil { return try undoAnswer(answer, left: left, dataset, state) }
      if last.count > EditTarget.directLimit { return .job(try startJob(last, left, request)) }
      return .edit(try editor.undo(last), left: left)
    }
  }

  private static func startJob(
    _ action: EditAction, _ left: Int, _ request: APIRequest
  ) throws -> Job {
    let (server, person, client) = (request.server, request.session.person, request.client)
    return try server.jobs.start("undo", "Undo: \(action.text)", person) { job in
      var (undone, limit) = (UndoneEdit(of: action), EditRoutes.firstBatch)
      job.report("undoing", 0, action.count)
      repeat {
        try job.checkCancellation()
        let most = limit
        let part = try await server.library.write(as: person) { dataset, state in
          try state.editor(dataset).undoPart(of: action, limit: most)
        }
        undone += part
        limit = min(2 * limit, EditRoutes.batchLimit)
        // What is left after a cancellation is undone next.
        job.keep(undone.json(undone.left > 0 ? left + 1 : left))
        job.report("undoing", action.count - undone.left, action.count)
        server.noteEdit()
        server.sendPhotos(nil, by: person, client)
      } while undone.left > 0
      server.didUndo(undone, by: person, client)
      return undone.json(left)
    }
  }

  // MARK: Answers of a review

  /// - Parameter left: The number of earlier actions.
  private static func undoAnswer(
    _ action: EditAction?, left: Int, _ dataset: Dataset, _ state: WriterState
  ) throws -> Step {
    let (session, editor) = (try state.review(dataset), try state.editor(dataset))
    let result = try editor.undoing(action) { () throws(CairnError) in try session.undo() }
    guard let undone = result else { return .none }
    if let action { try editor.endReview(action) }
    let question = try session.question(undone.item)
    return .review(
      UndoneAnswer(
        action: action, review: undone,
        question: try question.map { try QuestionView($0, at: 0, in: dataset) },
        left: action == nil && left == 0 ? session.answers.count : left))
  }

  private static func response(
    _ undone: UndoneAnswer, _ request: APIRequest
  ) async throws -> Response {
    let (server, person) = (request.server, request.session.person)
    let (action, outcome) = (undone.action, undone.review.outcome)
    let photo = undone.review.item.key.photo
    let queue = undone.question.map { _ in
      let items = ReviewQueue.Items.doubtful([undone.review.item])
      return request.session.askedAgain.add(ReviewQueue(items: items, hasMore: false))
    }
    let isLeft = queue != nil && !undone.review.wasSkipped
    request.session.progress.withLock { $0.undo(action?.number, isLeft: isLeft) }
    request.didEdit([photo])
    return .json([
      ("left", JSON(undone.left)), ("photos", try await request.rows(of: [photo])),
      ("question", undone.question?.json(server, for: person, queue: queue) ?? .null),
      (
        "undone",
        [
          "action": JSON(action.map { "a\($0.number)" }), "kept": 0,
          "message": .string(ReviewMessage.undone(outcome).text),
          "outcome": .string(outcome?.code ?? "partly"), "text": .string(action?.text ?? "answer"),
        ]
      ),
    ])
  }
}

extension UndoOutcome {
  var code: String {
    switch self {
    case .asBefore: "asBefore"
    case .previousWithdrawn: "previousWithdrawn"
    case .statusChanged: "statusChanged"
    }
  }
}

extension Job {
  /// Returns what was undone if the job changed nothing.
  fileprivate func undone(_ left: Int) -> JSON {
    [
      "left": JSON(left), "photos": [], "question": .null,
      "undone": [
        "action": .null, "kept": 0, "message": .string(ReviewMessage.undone(.asBefore).text),
        "outcome": .string(UndoOutcome.asBefore.code), "text": .string(text),
      ],
    ]
  }
}

extension UndoneEdit {
  func json(_ left: Int) -> JSON {
    let message =
      kept == 0
      ? ReviewMessage.undone(outcome).text
      : "Undone, except for \(kept) that were changed since."
    return [
      "left": JSON(left), "photos": [], "question": .null,
      "undone": [
        "action": .string("a\(action.number)"), "kept": JSON(kept), "message": .string(message),
        "outcome": .string(kept > 0 ? "partly" : outcome.code), "text": .string(action.text),
      ],
    ]
  }
}

extension ServerState {
  fileprivate func didUndo(_ undone: UndoneEdit, by person: Person, _ client: String?) {
    noteEdit()
    if !undone.photos.isEmpty { sendPhotos(undone.photos, by: person, client) }
    if undone.hasPins {
      events.send("pins", [:])
      sendPhotos(nil, by: person)
    }
    if undone.hasRuns { events.send("runs", [:]) }
  }
}
