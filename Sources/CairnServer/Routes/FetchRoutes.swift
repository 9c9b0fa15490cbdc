internal import Cairn
internal import Hummingbird

/// Photos from services: Flickr, Commons and others.
enum FetchRoutes {
  static let all = [
    Route(.get, "/api/sources", sources), Route(.post, "/api/fetches", fetch),
  ]

  private static func sources(_ request: APIRequest) async throws -> Response {
    let states = try await request.server.library.read(as: nil) {
      try $0.sources().filter { $0.name.url != nil }
    }
    return .json([("sources", .array(states.map(\.json)))])
  }

  /// Maximum number of photos of a fetch.
  private static let limit = 1_000

  private static func fetch(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let name = try body.required("source")
    guard let source = SourceName(rawValue: name), source.url != nil else {
      throw ServeError.invalid("“\(name)” is not a source.")
    }
    var fetch = PhotoFetchRequest(source)
    fetch.query.text = try body.text("text").flatMap { $0.isEmpty ? nil : $0 }
    fetch.count = try body.integer("count", 1...limit) ?? 20
    fetch.isNewCollection = try body.flag("newCollection")
    fetch.allowsAnyLicense = try body.flag("anyLicense")
    if let radius = body["radius"]?.double {
      guard 1...100_000 ~= radius else {
        throw ServeError.invalid("“radius” must be from 1 to 100000 meters.")
      }
      fetch.radiusMeters = radius
    }
    let licenses = try body.texts("licenses").map { text in
      guard let kind = LicenseKind(text) else {
        throw ServeError.invalid("“\(text)” is not a known license.")
      }
      return kind
    }
    if !licenses.isEmpty { fetch.query.licenses = Set(licenses) }
    if let text = try body.text("pin") {
      guard let pin = PinID(text) else { throw ServeError.invalid("“\(text)” is not a pin.") }
      fetch.pin = pin
    }
    return .json(
      [("job", .string(try start(fetch, source, request).id))], status: .accepted)
  }

  private static func start(
    _ fetch: PhotoFetchRequest, _ source: SourceName, _ request: APIRequest
  ) throws -> Job {
    let (server, person) = (request.server, request.session.person)
    let text = "Photos from \(source.title)"
    return try server.jobs.start("fetch", text, person) { job in
      let (added, continuation) = AsyncStream.makeStream(of: PhotoID.self)
      let (report, operation) = try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // Pages show each photo when it arrives.
          for await id in added {
            try await server.library.refresh()
            server.sendPhotos([], added: [id], by: person)
          }
        }
        defer { continuation.finish() }
        return try await server.library.runLong(as: person, for: job) {
          dataset -> (PhotoFetchReport, Int?) in
          let report = try dataset.fetchPhotos(fetch) { continuation.yield($0) }
          return (report, dataset.operationNumber)
        }
      }
      let action = try await server.library.write(as: person) { dataset, state in
        try state.editor(dataset).recordAdded(
          report.added.map(\.id), replacing: report.removed, text, operation: operation
        ).action
      }
      server.noteEdit()
      if !report.removed.isEmpty { server.sendPhotos(report.removed, by: person) }
      let result = report.json(action: action)
      job.keep(result)
      if let failure = report.failure { throw failure }
      return result
    }
  }
}

extension SourceState {
  fileprivate var json: JSON {
    let isReady = key != .missing || name.keyUse != .required
    let problem = "\(name.title) needs an API key: `cairn source set \(name.rawValue) --key`."
    return [
      "hasLocations": .bool(name.hasLocations), "needsKey": .bool(name.keyUse == .required),
      "problem": isReady ? .null : .string(problem),
      "ready": .bool(isReady), "source": .string(name.rawValue), "terms": JSON(name.terms),
      "title": .string(name.title),
    ]
  }
}

extension PhotoFetchReport {
  fileprivate func json(action: Int?) -> JSON {
    [
      "action": JSON(action.map { "a\($0)" }),
      "added": .array(added.map { .string($0.id.description) }),
      // Addresses may contain keys, so they are left out.
      "failed": .array(
        failed.map { ["message": .string($0.message), "name": .string($0.name)] }),
      "givenUp": .bool(hasGivenUp), "known": JSON(known), "message": JSON(failure?.message),
      "notes": .array(notes.map { .string($0.message) }),
      "removed": .array(removed.map { .string($0.description) }),
    ]
  }
}
