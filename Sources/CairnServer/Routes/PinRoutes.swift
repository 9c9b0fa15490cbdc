internal import Cairn
internal import Hummingbird

/// Pins: added, moved, renamed, removed.
enum PinRoutes {
  static let all = [
    Route(.get, "/api/pins", list), Route(.post, "/api/pins", add),
    Route(.get, "/api/pins/:pin", show), Route(.patch, "/api/pins/:pin", change),
    Route(.delete, "/api/pins/:pin", remove),
  ]

  private static func pinID(_ request: APIRequest) throws -> PinID {
    guard let id = PinID(request.parameter("pin")) else {
      throw ServeError.invalid("“\(request.parameter("pin"))” is not the id of a pin.")
    }
    return id
  }

  private static func list(_ request: APIRequest) async throws -> Response {
    let text = (request["query"] ?? "").lowercased()
    let includesRemoved = request["removed"] == "true"
    let (pins, counts) = try await request.server.library.read(as: nil) { dataset in
      (try dataset.pins(includingRemoved: includesRemoved), try dataset.photoCounts())
    }
    let found = pins.filter { text.isEmpty || $0.name.value.lowercased().contains(text) }
    return .json([("pins", .array(found.map { $0.json(photos: counts[$0.id] ?? 0) }))])
  }

  private static func show(_ request: APIRequest) async throws -> Response {
    let id = try pinID(request)
    let (pin, count) = try await request.server.library.read(as: nil) { dataset in
      (try dataset.pinIfPresent(id), try dataset.photoCounts()[id] ?? 0)
    }
    guard let pin else {
      throw ServeError(status: .notFound, kind: "not-found", message: "There is no pin \(id).")
    }
    return .json(pin.json(photos: count))
  }

  private typealias Edited = (pin: Pin, report: UndoableEditor.Report)

  private static func respond(
    _ edited: Edited, _ request: APIRequest, status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    let id = edited.pin.id
    let count = try await request.server.library.read(as: nil) {
      try $0.photoCounts()[id] ?? 0
    }
    request.server.noteEdit()
    request.server.events.send("pins", [:])
    // Rows have the location and the name of their pin.
    if count > 0 { request.server.sendPhotos(nil, by: request.session.person) }
    return .json(
      [
        ("action", JSON(edited.report.action.map { "a\($0)" })),
        ("pin", edited.pin.json(photos: count)),
      ], status: status)
  }

  private static func add(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let location = try Coordinate(body["location"], "location")
    let name = try body.text("name") ?? ""
    let edited = try await request.server.library.write(as: request.session.person) {
      try $1.editor($0).addPin(at: location, name: name)
    }
    return try await respond(edited, request, status: .created)
  }

  private static func change(_ request: APIRequest) async throws -> Response {
    let id = try pinID(request)
    let body = try await request.body()
    let location = try body["location"].map { try Coordinate($0, "location") }
    let name = try body.text("name")
    let edited = try await request.server.library.write(as: request.session.person) {
      try $1.editor($0).editPin(id, location: location, name: name)
    }
    return try await respond(edited, request)
  }

  private static func remove(_ request: APIRequest) async throws -> Response {
    let id = try pinID(request)
    let edited = try await request.server.library.write(as: request.session.person) {
      try $1.editor($0).setPinRemoved(id, true)
    }
    return try await respond(edited, request)
  }
}

extension Pin {
  func json(photos: Int) -> JSON {
    [
      "location": location.value.json, "name": .string(name.value), "photos": JSON(photos),
      "pin": .string(id.text), "removed": .bool(removed.value),
    ]
  }
}
