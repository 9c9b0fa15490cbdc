internal import Cairn
internal import Hummingbird

/// The similarity map: photos on a plane where similar ones are near each other.
enum SimilarityRoutes {
  static let all = [
    Route(.get, "/api/similarity", points), Route(.post, "/api/similarity", arrange),
  ]

  /// The kind of the jobs.
  private static let kind = "similarity"

  /// The maximum number of classes that are distinguished: the page has as many colors.
  fileprivate static let classLimit = 12

  private static func points(_ request: APIRequest) async throws -> Response {
    let set = try request.session.sets.get(request["set"] ?? "")
    let exclusiveSet = request["exclusiveSet"].flatMap { $0.isEmpty ? nil : $0 }
    let json = try await request.server.library.read(as: request.session.person) {
      try $0.similarity(of: set.keys.prefix(SetRoutes.idLimit), exclusiveSet)
    }
    return .json(json)
  }

  private static func arrange(_ request: APIRequest) async throws -> Response {
    let (server, person) = (request.server, request.session.person)
    let job = try server.jobs.start(
      kind, "Similarity map", person, ifOther: .similarity
    ) { job in
      let report = try await server.library.runLong(as: person, for: job) {
        try $0.arrangePhotos()
      }
      return [
        "erasedImages": JSON(report.erasedImages), "missingImages": JSON(report.missingImages),
        "photos": JSON(report.photos), "undecodableImages": JSON(report.undecodableImages),
      ]
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }
}

extension Dataset {
  /// Returns the positions of photos and their classes.
  ///
  /// - Parameters:
  ///   - keys: Their rows, in the order of a result set.
  ///   - exclusiveSet: Whose classes to tell apart; nil for the most used classes of all.
  fileprivate func similarity(
    of keys: ArraySlice<PhotoRowKey>, _ exclusiveSet: String?
  ) throws -> JSON {
    guard let layout = try photoLayout() else {
      return [
        "classes": [], "computed": false, "missing": JSON(keys.count), "photos": 0, "points": [],
      ]
    }
    let classes = try classes()
      .filter { record in
        !record.isAlias && record.labelClass.key != .favorite && record.photos > 0
          && exclusiveSet.map { record.set?.text == $0 } ?? true
      }
      .sorted { ($1.photos, $0.labelClass.key) < ($0.photos, $1.labelClass.key) }
      .prefix(SimilarityRoutes.classLimit)
    let (ids, photoClasses) = try withIndex(updating: false) { index in
      (
        try index.photoIDs(of: keys),
        try index.photoClasses(among: classes.map(\.labelClass.key))
      )
    }
    var counts = [Int](repeating: 0, count: classes.count)
    var points: [JSON] = []
    for (number, (key, id)) in zip(keys, ids).enumerated() {
      guard let position = id.flatMap({ layout.positions[$0] }) else { continue }
      let own = photoClasses[key]
      if let own { counts[own.index] += 1 }
      points.append([
        JSON(number), rounded(position.x), rounded(position.y), JSON(own?.index ?? -1),
        JSON(own?.isConfirmed == true ? 1 : 0),
      ])
    }
    return [
      "classes": .array(
        zip(classes, counts).map { record, count in
          [
            "class": .string(record.labelClass.key.text),
            "name": .string(record.labelClass.name.value), "photos": JSON(count),
          ]
        }), "computed": true, "missing": JSON(keys.count - points.count),
      "photos": JSON(points.count), "points": .array(points),
    ]
  }
}

/// Returns a coordinate as a number with few digits.
private func rounded(_ value: Float) -> JSON {
  JSON((Double(value) * 10_000).rounded() / 10_000)
}
