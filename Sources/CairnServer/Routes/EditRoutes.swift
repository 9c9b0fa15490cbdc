internal import Cairn
internal import Hummingbird

/// Edits of photos: labels, verdicts, favorites, titles, boxes.
enum EditRoutes {
  static let all = [Route(.post, "/api/edits", edit)]

  private static func edit(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    if let edits = body["edits"], !edits.isNull {
      return try await apply(parts(edits, request), body, request)
    }
    let name = try body.required("do")
    switch name {
    case "box", "moveBox", "removeBox":
      return try await RegionEdits.edit(name, body, request)
    case "title", "caption": return try await field(name, body, request)
    default: break
    }
    return try await apply([part(name, body, request)], body, request)
  }

  /// One edit of a request.
  private struct Part: Sendable {
    let edit: UndoableEditor.Edit
    let classNames: [String]
    let target: EditTarget
  }

  private static func part(
    _ name: String, _ body: JSONObject, _ request: APIRequest
  ) throws -> Part {
    let (edit, classNames) = try edit(name, body)
    let target = try EditTarget(body["target"], in: request.session)
    return Part(edit: edit, classNames: classNames, target: target)
  }

  /// Maximum number of edits of one action.
  private static let partLimit = 1_000

  /// Returns edits that judge classes the same way, each of other photos: one action.
  private static func parts(_ json: JSON, _ request: APIRequest) throws -> [Part] {
    let list = json.array ?? []
    guard 1...partLimit ~= list.count else {
      throw ServeError.invalid("“edits” must be a list of 1 to \(partLimit) edits.")
    }
    let parts = try list.map { item in
      guard let body = item.object else { throw ServeError.invalid("“edits” must be objects.") }
      return try part(body.required("do"), body, request)
    }
    guard let judgement = parts[0].edit.judgement,
      parts.allSatisfy({ $0.edit.judgement == judgement })
    else {
      throw ServeError.invalid("“edits” must all accept, all reject or all withdraw classes.")
    }
    return parts
  }

  private static func apply(
    _ parts: [Part], _ body: JSONObject, _ request: APIRequest
  ) async throws -> Response {
    let person = request.session.person
    let create = try Set(body.texts("create"))
    if try body.flag("dryRun") {
      let runs = try await request.server.library.read(as: person) { dataset in
        try parts.map {
          try dataset.dryRun($0.edit, $0.classNames, $0.target.photos(in: dataset))
        }
      }
      return .json(runs.dropFirst().reduce(runs[0], +).json)
    }
    if parts.reduce(0, { $0 + $1.target.count }) > EditTarget.directLimit {
      return try await startJob(parts, create, request)
    }
    let result = try await request.server.library.write(as: person) { dataset, state in
      try dataset.checkClasses(parts.flatMap(\.classNames), creating: create)
      let photos = try parts.map { try $0.target.photos(in: dataset) }
      let all = Array(photos.joined())
      let text = try dataset.text(of: parts.map(\.edit), count: all.count)
      var total = UndoableEditor.Report()
      for (part, photos) in zip(parts, photos) {
        total += try state.editor(dataset).apply(
          part.edit, to: photos, as: text, in: total.action)
      }
      return (total, all, text)
    }
    let rows = try await request.rows(of: result.1)
    request.didEdit(
      result.0.action == nil ? [] : result.1, createdClasses: !create.isEmpty)
    return .json(result.0.json(result.2, rows))
  }

  private static func edit(
    _ name: String, _ body: JSONObject
  ) throws -> (UndoableEditor.Edit, classNames: [String]) {
    switch name {
    case "label":
      let classes = try body.texts("classes")
      let verdict = try body.choice("verdict", default: Verdict.present)
      guard !classes.isEmpty, verdict != .withdrawn else {
        throw ServeError.invalid("“classes” must not be empty, and “verdict” present or absent.")
      }
      return (.label(classes, verdict), classes)
    case "accept", "reject":
      return (.review(try body.required("class"), accepting: name == "accept"), [])
    case "withdraw": return (.withdraw(try body.required("class")), [])
    case "favorite": return (.favorite(try body.flag("on", default: true)), [])
    case "remove": return (.remove(try body.flag("on", default: true)), [])
    case "pin":
      let pin = try body.text("pin").map { text in
        guard let id = PinID(text) else { throw ServeError.invalid("“\(text)” is not a pin.") }
        return id
      }
      return (.pin(pin), [])
    default: throw ServeError.invalid("“\(name)” is not an edit.")
    }
  }

  // MARK: Many photos

  /// The greatest number of photos that are edited at once: other edits come in between.
  static let batchLimit = 250
  /// The number of photos of the first batch, so that progress shows at once; each is twice as large
  /// as the one before.
  static let firstBatch = 25

  /// Splits photos into batches.
  static func batches(_ photos: [PhotoID]) -> [ArraySlice<PhotoID>] {
    var (batches, start, size): ([ArraySlice<PhotoID>], Int, Int) = ([], 0, firstBatch)
    while start < photos.count {
      let end = min(start + size, photos.count)
      batches.append(photos[start..<end])
      (start, size) = (end, min(2 * size, batchLimit))
    }
    return batches
  }

  private static func startJob(
    _ parts: [Part], _ create: Set<String>, _ request: APIRequest
  ) async throws -> Response {
    let (server, person, client) = (request.server, request.session.person, request.client)
    let (text, photos) = try await server.library.read(as: person) { dataset in
      try dataset.checkClasses(parts.flatMap(\.classNames), creating: create)
      let photos = try parts.map { try $0.target.photos(in: dataset) }
      let count = photos.reduce(0) { $0 + $1.count }
      return (try dataset.text(of: parts.map(\.edit), count: count), photos)
    }
    let count = photos.reduce(0) { $0 + $1.count }
    let begun = try await server.library.inspect(as: person) {
      try $1.editor($0).actions().last?.number ?? 0
    }
    let job = try server.jobs.start("edit", text, person, begun: begun) { job in
      var (total, done) = (UndoableEditor.Report(), 0)
      job.report("labeling", 0, count)
      for (part, photos) in zip(parts, photos) {
        for (index, batch) in batches(photos).enumerated() {
          try job.checkCancellation()
          let (some, current) = (Array(batch), total.action)
          let report = try await server.library.write(as: person) { dataset, state in
            let report = try state.editor(dataset).apply(
              part.edit, to: some, as: text, in: current)
            job.action = report.action ?? job.action
            return report
          }
          total += report
          done += some.count
          job.keep(result(total, text))
          job.report("labeling", done, count, always: true)
          server.noteEdit()
          server.sendPhotos(nil, by: person, client)
          // The first batch has created the classes.
          if index == 0, !create.isDisjoint(with: part.classNames) {
            server.events.send("classes", [:])
          }
        }
      }
      return result(total, text)
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }

  private static func result(_ report: UndoableEditor.Report, _ text: String) -> JSON {
    [
      "action": JSON(report.action.map { "a\($0)" }), "changed": JSON(report.changed),
      "skipped": JSON(report.skipped), "text": .string(text),
    ]
  }

  // MARK: One photo

  private static func field(
    _ name: String, _ body: JSONObject, _ request: APIRequest
  ) async throws -> Response {
    let (photo, text) = (try body.photo(), try body.required("text"))
    let edit: UndoableEditor.Edit = name == "title" ? .title(text) : .caption(text)
    let expected = try body.text("expect")
    let person = request.session.person
    let outcome = try await request.server.library.write(as: person) {
      dataset, state -> Checked<(UndoableEditor.Report, String)> in
      if let conflict = try dataset.conflict(photo, expecting: expected) {
        return .conflict(conflict.now, by: conflict.by)
      }
      let text = try dataset.text(of: edit, count: 1)
      return .done((try state.editor(dataset).apply(edit, to: [photo], as: text), text))
    }
    let (report, title) = try outcome.value(request.server)
    let rows = try await request.rows(of: [photo])
    request.didEdit([photo])
    return .json(report.json(title, rows))
  }
}

/// The result of a change, or the conflict that prevented it: somebody changed the photo in the
/// meantime.
enum Checked<Value: Sendable>: Sendable {
  case done(Value)
  /// - Parameter by: Who changed it, if that is known.
  case conflict(PhotoDetail, by: Annotator?)

  func value(_ server: ServerState) throws -> Value {
    switch self {
    case .done(let value): return value
    case .conflict(let detail, let person):
      let color = server.colors.color(of: detail.row.id)
      let message = person.map {
        "\($0.identity) changed the photo in the meantime. Nothing was written."
      }
      throw ServeError.conflict(
        message ?? "The photo was changed in the meantime. Nothing was written.",
        [("photo", detail.json(color: color))])
    }
  }
}

extension UndoableEditor.Report {
  /// Adds the report of a further edit of the same action.
  fileprivate static func += (total: inout Self, report: Self) {
    total.action = report.action ?? total.action
    total.changed += report.changed
    total.skipped += report.skipped
  }

  /// - Parameter photos: The rows of the photos.
  func json(_ text: String, _ photos: JSON) -> JSON {
    [
      "action": JSON(action.map { "a\($0)" }), "changed": JSON(changed), "photos": photos,
      "skipped": JSON(skipped), "text": .string(text),
    ]
  }
}

extension APIRequest {
  /// Returns the current rows of photos as JSON.
  func rows(of photos: [PhotoID]) async throws -> JSON {
    server.json(try await server.library.read(as: session.person) { try $0.rows(of: photos) })
  }

  /// Tells the pages about changed photos.
  func didEdit(_ photos: [PhotoID], createdClasses: Bool = false) {
    server.noteEdit()
    if !photos.isEmpty { server.sendPhotos(photos, by: session.person, client) }
    if createdClasses { server.events.send("classes", [:]) }
  }
}

extension ServerState {
  /// Maximum number of photos that an event names.
  private static let namedLimit = 500

  /// - Parameter photos: Nil if they are unknown or many.
  func sendPhotos(
    _ photos: [PhotoID]?, added: [PhotoID] = [], by person: Person?, _ client: String? = nil
  ) {
    let isNamed = photos.map { $0.count <= ServerState.namedLimit } ?? false
    let ids = isNamed ? photos : nil
    events.send(
      "photos",
      [
        "added": .array(added.prefix(ServerState.namedLimit).map { .string($0.description) }),
        "by": JSON(person?.annotator?.description),
        "ids": ids.map { .array($0.map { .string($0.description) }) } ?? .null,
        "session": JSON(client),
      ])
  }
}
