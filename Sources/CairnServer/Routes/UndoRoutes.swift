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

  /// The latest action: of the page, or an answer of a review in the terminal.
  private enum Step: Sendable {
    case none
    case edit(EditAction, left: Int)
    case review(EditAction?, left: Int)
    /// The latest action is not the one that was to be undone.
    case later
  }

  private static func undo(_ request: APIRequest) async throws -> Response {
    let (server, person, client) = (request.server, request.session.person, request.client)
    let wanted = request["action"]
    let step = try await server.library.inspect(as: person) { dataset, state -> Step in
      let editor = try state.editor(dataset)
      let actions = try editor.actions()
      if let wanted, wanted != actions.last.map({ "a\($0.number)" }) { return .later }
      guard let last = actions.last else {
        let left = try state.review(dataset).undoCount
        return left == 0 ? .none : .review(nil, left: left - 1)
      }
      return editor.isReview(last)
        ? .review(last, left: actions.count - 1) : .edit(last, left: actions.count - 1)
    }
    switch step {
    case .later:
      throw ServeError.conflict("There is a later action. Nothing was undone.", [])
    case .none:
      throw ServeError(
        status: .notFound, kind: "not-found", message: "There is nothing to undo.")
    case .review(let action, let left): return try await undoReview(action, left, request)
    case .edit(let action, let left) where action.count > EditTarget.directLimit:
      let job = try server.jobs.start("undo", "Undo: \(action.text)", person) { job in
        let undone = try await server.library.write(as: person, for: job) { dataset, state in
          try state.editor(dataset).undo(action)
        }
        server.didUndo(undone, by: person, client)
        return undone.json(left)
      }
      return .json([("job", .string(job.id))], status: .accepted)
    case .edit(let action, let left):
      let undone = try await server.library.write(as: person) { dataset, state in
        try state.editor(dataset).undo(action)
      }
      server.didUndo(undone, by: person, client)
      var json = undone.json(left).object ?? [:]
      json["photos"] = try await request.rows(of: undone.photos)
      return .json(.object(json))
    }
  }

  private static func undoReview(
    _ action: EditAction?, _ left: Int, _ request: APIRequest
  ) async throws -> Response {
    let (server, person) = (request.server, request.session.person)
    typealias Undone = (item: ReviewItem, outcome: UndoOutcome?, question: QuestionView?)
    let undone = try await server.library.write(as: person) { dataset, state -> Undone? in
      let session = try state.review(dataset)
      let undone = try session.undo()
      if let action { try state.editor(dataset).endReview(action) }
      guard let undone else { return nil }
      let question = try session.question(undone.item)
      return (
        undone.item, undone.outcome,
        try question.map { try QuestionView($0, at: nil, in: dataset) }
      )
    }
    guard let undone else {
      throw ServeError(
        status: .notFound, kind: "not-found", message: "The answer can no longer be undone.")
    }
    let photo = undone.item.key.photo
    request.session.progress.withLock { $0.undo() }
    request.didEdit([photo])
    return .json([
      ("left", JSON(left)), ("photos", try await request.rows(of: [photo])),
      ("question", undone.question?.json(server, for: person) ?? .null),
      (
        "undone",
        [
          "action": JSON(action.map { "a\($0.number)" }), "kept": 0,
          "message": .string(ReviewMessage.undone(undone.outcome).text),
          "outcome": .string(undone.outcome?.code ?? "partly"),
          "text": .string(action?.text ?? "answer"),
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
    if undone.hasPins { events.send("pins", [:]) }
    if undone.hasRuns { events.send("runs", [:]) }
  }
}
