internal import Cairn
internal import Hummingbird
internal import Synchronization

/// The session, its dataset, and the other people.
enum SessionRoutes {
  static let all = [
    Route(.get, "/api/session", session), Route(.get, "/api/people", people),
    Route(.put, "/api/presence", isWrite: false, presence),
  ]

  private static func session(_ request: APIRequest) async throws -> Response {
    let (server, session) = (request.server, request.session)
    let status = try await server.library.read(as: session.person) { try $0.glance() }
    return .json([
      ("dataset", status), ("event", JSON(server.events.last)),
      ("invited", .bool(session.person.author != nil)),
      (
        "limits",
        [
          "directEdit": JSON(EditTarget.directLimit), "rows": JSON(SetRoutes.rowLimit),
          "thumbnails": JSON(PixelRoutes.batchLimit), "upload": JSON(UploadRoutes.limit),
        ]
      ), ("map", ["tiles": server.tiles?.json ?? .null]), ("person", session.person.json),
      ("readOnly", .bool(session.isReadOnly)),
      (
        "streams",
        ["limit": JSON(Session.Resource.streams.limit), "open": JSON(session.streamCount)]
      ), ("version", .string(server.options.version)),
    ])
  }

  private static func people(_ request: APIRequest) async throws -> Response {
    let people = PersonPresence.all(request.server.sessions).map { one -> JSON in
      [
        "id": JSON(one.person.annotator?.description), "looking": one.looking?.json ?? .null,
        "me": .bool(one.person == request.session.person), "name": .string(one.person.name),
        "online": .bool(one.isOnline),
      ]
    }
    return .json([("people", .array(people))])
  }

  private static let views: Set = [
    "grid", "photo", "review", "map", "table", "models", "add", "sync", "people",
    "similarity",
  ]

  private static func presence(_ request: APIRequest) async throws -> Response {
    try request.session.countPresence()
    let body = try await request.body()
    let view = try body.required("view")
    guard views.contains(view) else { throw ServeError.invalid("“\(view)” is not a view.") }
    let photo = try body.text("photo") == nil ? nil : body.photo()
    let presence = Presence(photo: photo, view: view)
    let isNew = request.session.presence.withLock { old in
      defer { old = presence }
      return old != presence
    }
    if isNew {
      let (server, session) = (request.server, request.session)
      let one = PersonPresence(person: session.person, isOnline: true, looking: presence)
      server.events.announce("presence", one.event, exceptSession: session.id)
    }
    return .noContent
  }
}

/// Whether a person has the page open, and what that person looks at.
struct PersonPresence {
  let person: Person
  var isOnline: Bool
  var looking: Presence?

  /// The data of an event `presence`.
  var event: JSON {
    [
      "online": .bool(isOnline), "person": person.json, "photo": JSON(looking?.photo?.description),
      "view": JSON(looking?.view),
    ]
  }

  /// Returns the people with sessions, each once.
  static func all(_ sessions: Sessions) -> [PersonPresence] {
    var people: [PersonPresence] = []
    for session in sessions.all {
      let presence = session.presence.withLock { $0 }
      if let known = people.firstIndex(where: { $0.person == session.person }) {
        people[known].isOnline = people[known].isOnline || session.hasStream
        people[known].looking = presence ?? people[known].looking
      } else {
        people.append(
          PersonPresence(
            person: session.person, isOnline: session.hasStream, looking: presence))
      }
    }
    return people
  }
}

extension Presence {
  var json: JSON { ["photo": JSON(photo?.description), "view": .string(view)] }
}

extension Dataset {
  /// Returns the name and size of the dataset.
  fileprivate func glance() throws -> JSON {
    let counts = try withIndex(updating: false) { try $0.counts() }
    let head = try headDescription()
    return [
      "branch": JSON(head.branch), "classes": JSON(counts.classes), "commit": JSON(head.commit),
      "labels": JSON(counts.labels), "name": .string(try name()), "photos": JSON(counts.photos),
      "pins": JSON(counts.pins),
    ]
  }
}
