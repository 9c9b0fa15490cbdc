internal import Cairn
internal import CairnBase
internal import Hummingbird

/// One photo: its labels, why they count, its history, and photos that look the same.
enum PhotoRoutes {
  static let all = [
    Route(.get, "/api/photos/:photo", detail), Route(.get, "/api/photos/:photo/why", why),
    Route(.get, "/api/photos/:photo/history", history),
    Route(.get, "/api/photos/:photo/similar", similar),
  ]

  private static func detail(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    let detail = try await request.server.library.read(as: request.session.person) {
      try $0.detail(of: id)
    }
    return .json(detail.json(color: request.server.colors.color(of: id)))
  }

  private static func why(_ request: APIRequest) async throws -> Response {
    let (id, name) = (try request.photoID(), request["class"])
    let json = try await request.server.library.read(as: request.session.person) {
      dataset -> JSON in
      let explanation = try dataset.why(id, className: name)
      let detail = try dataset.detail(of: id)
      let commits = explanation.origins.map { label, origin -> (String, JSON) in
        (
          "\(label)",
          [
            "author": .string(origin.author), "email": .string(origin.email),
            "id": .string(origin.commit), "summary": .string(origin.summary),
            "time": .string(RFC3339.text(milliseconds: origin.time)),
          ]
        )
      }
      return [
        "classes": .array(explanation.classes.map(detail.json)),
        "commits": .object(JSONObject(commits)),
      ]
    }
    return .json(json)
  }

  private static func history(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    let limit = try request.integer("limit", 1...200, default: 50)
    let (entries, changes) = try await request.server.library.read(as: request.session.person) {
      dataset in
      _ = try dataset.show(id)
      return (
        try dataset.log(photo: id, limit: limit).map(\.json),
        try dataset.uncommittedChanges(of: id).flatMap(\.texts)
      )
    }
    return .json([
      ("entries", .array(entries)), ("uncommitted", .array(changes.map { .string($0) })),
    ])
  }

  private static func similar(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    let distance = try request.integer("distance", 0...64, default: 10)
    let found = try await request.server.library.read(as: request.session.person) { dataset in
      let similar = try dataset.similarPhotos(to: id, within: distance).filter { $0.id != id }
        .prefix(200)
      let rows = try dataset.rows(of: similar.map(\.id))
      let distances = Dictionary(similar.map { ($0.id, $0.distance) }, uniquingKeysWith: { $1 })
      return rows.map { ($0, distances[$0.id] ?? 0) }
    }
    let photos = found.map { row, distance -> JSON in
      [
        "distance": JSON(distance),
        "photo": row.json(color: request.server.colors.color(of: row.id)),
      ]
    }
    return .json([("photos", .array(photos))])
  }
}

extension DocumentChange {
  /// What changed, as sentences.
  fileprivate var texts: [String] { assertions.map { "\(subject): \(text(of: $0))" } }
}

extension HistoryEntry {
  fileprivate var json: JSON {
    [
      "author": .string(author),
      "changes": .array(
        changes.flatMap { change in
          change.assertions.map {
            ["subject": .string(change.subject), "text": .string(change.text(of: $0))]
          }
        }), "commit": .string(commit), "email": .string(email), "summary": .string(summary),
      "time": .string(RFC3339.text(milliseconds: time)),
    ]
  }
}
