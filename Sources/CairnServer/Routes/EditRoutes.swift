internal import Cairn
internal import Hummingbird

/// Edits of photos: labels, verdicts, favorites, titles, boxes.
enum EditRoutes {
  static let all = [Route(.post, "/api/edits", edit)]

  private static func edit(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let name = try body.required("do")
    switch name {
    case "box", "moveBox", "removeBox":
      return try await RegionEdits.edit(name, body, request)
    case "title", "caption": return try await field(name, body, request)
    default: break
    }
    let (edit, classNames) = try edit(name, body)
    let target = try EditTarget(body["target"], in: request.session)
    let create = try Set(body.texts("create"))
    if try body.flag("dryRun") {
      return .json(
        try await request.server.library.read(as: request.session.person) { dataset in
          try dataset.dryRun(edit, classNames, target.photos(in: dataset))
        })
    }
    if target.count > EditTarget.directLimit {
      return try await startJob(edit, classNames, create, target, request)
    }
    let person = request.session.person
    let result = try await request.server.library.write(as: person) { dataset, state in
      try dataset.checkClasses(classNames, creating: create)
      let photos = try target.photos(in: dataset)
      let text = try dataset.text(of: edit, count: photos.count)
      let report = try state.editor(dataset).apply(edit, to: photos, as: text)
      return (report, photos, text)
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
  private static let batchLimit = 250

  /// Splits photos into batches. The first ones are small, so that progress shows at once.
  static func batches(_ photos: [PhotoID]) -> [ArraySlice<PhotoID>] {
    var (batches, start, size): ([ArraySlice<PhotoID>], Int, Int) = ([], 0, 25)
    while start < photos.count {
      let end = min(start + size, photos.count)
      batches.append(photos[start..<end])
      (start, size) = (end, min(2 * size, batchLimit))
    }
    return batches
  }

  private static func startJob(
    _ edit: UndoableEditor.Edit, _ classNames: [String], _ create: Set<String>,
    _ target: EditTarget, _ request: APIRequest
  ) async throws -> Response {
    let (server, person, client) = (request.server, request.session.person, request.client)
    let (text, photos) = try await server.library.read(as: person) { dataset in
      try dataset.checkClasses(classNames, creating: create)
      let photos = try target.photos(in: dataset)
      return (try dataset.text(of: edit, count: photos.count), photos)
    }
    let job = try server.jobs.start("edit", text, person) { job in
      var (action, changed, skipped): (Int?, Int, Int) = (nil, 0, 0)
      job.report("labeling", 0, photos.count)
      for batch in batches(photos) {
        try job.checkCancellation()
        let (part, current) = (Array(batch), action)
        let report = try await server.library.write(as: person) { dataset, state in
          try state.editor(dataset).apply(edit, to: part, as: text, in: current)
        }
        action = report.action ?? action
        changed += report.changed
        skipped += report.skipped
        job.keep(result(action, text, changed, skipped))
        job.report("labeling", batch.endIndex, photos.count)
        server.noteEdit()
        server.sendPhotos(nil, by: person, client)
      }
      return result(action, text, changed, skipped)
    }
    if !create.isEmpty { server.events.send("classes", [:]) }
    return .json([("job", .string(job.id))], status: .accepted)
  }

  private static func result(
    _ action: Int?, _ text: String, _ changed: Int, _ skipped: Int
  ) -> JSON {
    [
      "action": JSON(action.map { "a\($0)" }), "changed": JSON(changed), "skipped": JSON(skipped),
      "text": .string(text),
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
        return .conflict(conflict)
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

/// A change that was made, or was not since somebody changed the photo in the meantime.
enum Checked<Value: Sendable>: Sendable {
  case done(Value)
  case conflict(PhotoDetail)

  func value(_ server: ServerState) throws -> Value {
    switch self {
    case .done(let value): return value
    case .conflict(let detail):
      let color = server.colors.color(of: detail.row.id)
      throw ServeError.conflict(
        "\(detail.lastLabeler?.identity ?? "Somebody") changed the photo in the meantime. "
          + "Nothing was written.",
        [("photo", detail.json(color: color))])
    }
  }
}

extension UndoableEditor.Report {
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
