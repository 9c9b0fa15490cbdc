internal import Cairn
internal import Hummingbird
internal import Synchronization

/// The review: a queue of questions, and answers to them.
enum ReviewRoutes {
  static let all = [
    Route(.post, "/api/review", isWrite: false, create),
    Route(.get, "/api/review/progress", progress),
    Route(.get, "/api/review/:queue", questions),
    Route(.post, "/api/review/:queue/answers", answer),
    Route(.delete, "/api/review/:queue", isWrite: false, remove),
  ]

  private enum Kind: String, CaseIterable { case doubtful, unlabeled }

  // MARK: Queues

  private static func create(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let limit = try body.integer("limit", 1...Dataset.reviewSessionLimit)
    let text = try body.text("query") ?? ""
    let query = text.isEmpty ? nil : try PhotoQuery(text)
    let queue: ReviewQueue
    var counts: [ReviewReason: Int] = [:]
    switch try body.choice("kind", default: Kind.doubtful) {
    case .unlabeled:
      queue = try await unlabeled(query, limit ?? Dataset.reviewSessionLimit, request)
    case .doubtful:
      var filter = ReviewFilter()
      (filter.query, filter.className) = (query, try body.text("class"))
      filter.includesSkipped = try body.flag("skipped")
      let names = try body.texts("reasons")
      if !names.isEmpty {
        filter.reasons = Set(
          try names.map { name in
            guard let reason = ReviewReason(rawValue: name) else {
              throw ServeError.invalid("“\(name)” is not a reason.")
            }
            return reason
          })
      }
      queue = try await doubtful(filter, limit ?? Dataset.reviewSessionLimit, request)
      if case .doubtful(let items) = queue.items {
        for item in items { counts[item.reasons[0].reason, default: 0] += 1 }
      }
    }
    let name = request.session.queues.add(queue)
    request.session.progress.withLock { $0.begin(queue.count) }
    return .json(
      [
        ("count", JSON(queue.count)),
        ("counts", .object(JSONObject(counts.map { ($0.key.rawValue, JSON($0.value)) }))),
        ("more", .bool(queue.hasMore)), ("queue", .string(name)),
      ], status: .created)
  }

  private static func doubtful(
    _ filter: ReviewFilter, _ limit: Int, _ request: APIRequest
  ) async throws -> ReviewQueue {
    let items = try await request.server.library.read(as: request.session.person) {
      try $0.reviewQueue(filter, limit: limit + 1)
    }
    return ReviewQueue(
      items: .doubtful(Array(items.prefix(limit))), hasMore: items.count > limit)
  }

  private static let optionCount = 9

  private static func unlabeled(
    _ query: PhotoQuery?, _ limit: Int, _ request: APIRequest
  ) async throws -> ReviewQueue {
    let (photos, options) = try await request.server.library.read(as: request.session.person) {
      dataset in
      let classes = try dataset.classes()
        .filter { !$0.isAlias && $0.labelClass.key != .favorite }
        .sorted { ($1.photos, $0.labelClass.key) < ($0.photos, $1.labelClass.key) }
      return (
        try dataset.unlabeledPhotos(query ?? .everything, limit: limit + 1),
        classes.prefix(optionCount).map(\.labelClass.key)
      )
    }
    return ReviewQueue(
      items: .unlabeled(Array(photos.prefix(limit)), options: options),
      hasMore: photos.count > limit)
  }

  private static func queue(_ request: APIRequest) throws -> ReviewQueue {
    let name = request.parameter("queue")
    let session = request.session
    return try (name.hasPrefix("u") ? session.askedAgain : session.queues).get(name)
  }

  private static func remove(_ request: APIRequest) async throws -> Response {
    let name = request.parameter("queue")
    for queues in [request.session.queues, request.session.askedAgain] { queues.remove(name) }
    return .noContent
  }

  // MARK: Questions

  private static func questions(_ request: APIRequest) async throws -> Response {
    let queue = try queue(request)
    let start = try request.integer("from", 0...Int(Int32.max), default: 0)
    let count = try request.integer("count", 1...50, default: 20)
    let indices = min(start, queue.count)..<min(start + count, queue.count)
    let views = try await request.server.library.inspect(as: request.session.person) {
      dataset, state in try indices.map { try view($0, of: queue, dataset, state) }
    }
    let (server, person) = (request.server, request.session.person)
    return .json([
      ("from", JSON(start)),
      ("questions", .array(views.map { $0?.json(server, for: person) ?? .null })),
    ])
  }

  /// Returns a question as it is now; nil if it no longer needs an answer.
  private static func view(
    _ index: Int, of queue: ReviewQueue, _ dataset: Dataset, _ state: WriterState
  ) throws -> QuestionView? {
    switch queue.items {
    case .doubtful(let items):
      return try state.review(dataset).question(items[index])
        .map { try QuestionView($0, at: index, in: dataset) }
    case .unlabeled(let photos, let options):
      let view = try QuestionView(photos[index], at: index, options: options, in: dataset)
      let isBare = view.detail.explanation.classes.allSatisfy { $0.state == .open }
      return isBare && view.detail.explanation.record.visibility.isVisible ? view : nil
    }
  }

  // MARK: Answers

  private enum Answered: Sendable {
    case decided(action: Int?, ReviewDecision)
    case conflict(String, QuestionView?)
  }

  private static func answer(_ request: APIRequest) async throws -> Response {
    let queue = try queue(request)
    let body = try await request.body()
    guard let index = body["index"]?.int, 0..<queue.count ~= index else {
      throw ServeError.invalid("“index” must be the number of a question.")
    }
    let decision = try decision(body)
    let version = try body.required("version")
    let isNew = try body.flag("create")
    let answered = try await request.server.library.write(as: request.session.person) {
      dataset, state -> Answered in
      guard let view = try view(index, of: queue, dataset, state) else {
        return .conflict(ReviewMessage.alreadyDecided(nil).text, nil)
      }
      guard view.version == version else {
        return .conflict(ReviewMessage.changed.text, view)
      }
      if case .other(let name) = decision {
        try dataset.checkClasses([name], creating: isNew ? [name] : [])
      }
      return try write(decision, view, index, of: queue, dataset, state)
    }
    switch answered {
    case .conflict(let message, let view):
      throw ServeError.conflict(
        message, [("question", view?.json(request.server, for: request.session.person) ?? .null)])
    case .decided(let action, let decision):
      let settled = try await settled(index, queue, request)
      if decision != .skip {
        request.session.progress.withLock { $0.decide(action, settled: settled.count + 1) }
      }
      let photo = queue.photo(at: index)
      request.didEdit(decision == .skip ? [] : [photo], createdClasses: isNew)
      let row = try await request.rows(of: [photo]).array?.first
      return .json([
        ("action", JSON(action.map { "a\($0)" })), ("outcome", "decided"),
        ("photo", row ?? .null),
        ("settled", .array(settled.map { JSON($0) })),
      ])
    }
  }

  private static func decision(_ body: JSONObject) throws -> ReviewDecision {
    switch try body.required("decision") {
    case "accept": .accept
    case "reject": .reject
    case "skip": .skip
    case "other": .other(try body.required("class"))
    case let name: throw ServeError.invalid("“\(name)” is not a decision.")
    }
  }

  private static func write(
    _ decision: ReviewDecision, _ view: QuestionView, _ index: Int,
    of queue: ReviewQueue, _ dataset: Dataset, _ state: WriterState
  ) throws -> Answered {
    let editor = try state.editor(dataset)
    guard let question = view.question else {
      switch decision {
      case .skip: return .decided(action: nil, decision)
      case .accept, .reject:
        throw ServeError.invalid("“What is it?” is answered with a class, or skipped.")
      case .other(let name):
        let edit = UndoableEditor.Edit.label([name], .present)
        let text = try dataset.text(of: edit, count: 1)
        let report = try editor.apply(edit, to: [view.detail.row.id], as: text)
        return .decided(action: report.action, decision)
      }
    }
    if case .other = decision, question.key.classKey == nil {
      throw ServeError.invalid(ReviewMessage.noOtherClass.text)
    }
    let session = try state.review(dataset)
    let name = question.className ?? question.photoName
    editor.beginOperation("\(name): \(decision.text)")
    switch try session.answer(question, decision) {
    case .decided(let decision):
      let action = try editor.recordReview("\(name): \(decision.text)", session.answers.last)
      return .decided(action: action, decision)
    case .changed:
      return .conflict(
        ReviewMessage.changed.text, try self.view(index, of: queue, dataset, state))
    case .alreadyDecided(let resolution):
      return .conflict(ReviewMessage.alreadyDecided(resolution).text, nil)
    }
  }

  /// Returns the other questions on the same photo that no longer need an answer.
  private static func settled(
    _ index: Int, _ queue: ReviewQueue, _ request: APIRequest
  ) async throws -> [Int] {
    guard case .doubtful(let items) = queue.items else { return [] }
    let photo = items[index].key.photo
    let others = items.indices.filter { $0 != index && items[$0].key.photo == photo }
    if others.isEmpty { return [] }
    return try await request.server.library.inspect(as: request.session.person) {
      dataset, state in
      try others.filter { try state.review(dataset).question(items[$0]) == nil }
    }
  }

  private static func progress(_ request: APIRequest) async throws -> Response {
    let progress = request.session.progress.withLock { $0 }
    let minutes = progress.minutes
    return .json([
      ("decided", JSON(progress.decided)), ("left", progress.left.map { JSON($0) } ?? .null),
      ("minutes", JSON(minutes)),
      ("perMinute", JSON(minutes > 0 ? Double(progress.decided) / minutes : 0)),
    ])
  }
}

extension ReviewQueue {
  func photo(at index: Int) -> PhotoID {
    switch items {
    case .doubtful(let items): items[index].key.photo
    case .unlabeled(let photos, _): photos[index]
    }
  }
}

extension ReviewDecision {
  fileprivate var text: String {
    switch self {
    case .accept: "accepted"
    case .reject: "rejected"
    case .skip: "skipped"
    case .other(let name): name
    }
  }
}
