internal import Cairn
internal import Hummingbird

/// The map: clusters of photos and pins, the base map, and the user's tiles.
enum MapRoutes {
  static let all = [
    Route(.get, "/api/map", clusters), Route(.get, "/api/map/points", points),
    Route(.get, "/api/map/base", base), Route(.get, "/api/map/tiles/:z/:x/:y", tile),
  ]

  /// More pins in view than this are clustered.
  private static let pinLimit = 500

  private static func clusters(_ request: APIRequest) async throws -> Response {
    let view = try MapView(
      west: request.number("west"), south: request.number("south"), east: request.number("east"),
      north: request.number("north"))
    let zoom = try request.number("zoom")
    guard 0...20 ~= zoom else { throw ServeError.invalid("“zoom” must be from 0 to 20.") }
    let set = try request["set"].map { try request.session.sets.get($0) }
    let query = try request["query"].flatMap { $0.isEmpty ? nil : try PhotoQuery($0) }
    let json = try await request.server.library.read(as: request.session.person) {
      dataset -> JSON in
      var wanted: Set<PhotoRowKey>?
      if let set {
        wanted = Set(set.keys)
      } else if let query {
        wanted = Set(try dataset.photoKeys(query, in: ListOrder(), updating: false).keys)
      }
      return try dataset.map(view, zoom, wanted)
    }
    return .json(json)
  }

  private static func points(_ request: APIRequest) async throws -> Response {
    let set = try request.session.sets.get(request["set"] ?? "")
    let bytes = try await request.server.library.read(as: nil) { dataset -> [UInt8] in
      let points = try dataset.withIndex(updating: false) { try $0.photoPoints() }
      let places = Dictionary(
        points.map { ($0.key, ($0.latitude, $0.longitude)) }, uniquingKeysWith: { $1 })
      var bytes: [UInt8] = []
      for (index, key) in set.keys.prefix(SetRoutes.idLimit).enumerated() {
        guard let (latitude, longitude) = places[key] else { continue }
        for word in [
          UInt32(index), Float(latitude).bitPattern, Float(longitude).bitPattern,
        ] {
          for shift in [0, 8, 16, 24] as [UInt32] {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
          }
        }
      }
      return bytes
    }
    return .bytes(bytes, type: "application/octet-stream")
  }

  private static func base(_ request: APIRequest) async throws -> Response {
    .bytes(PageFiles.baseMap, type: "application/octet-stream", isImmutable: true)
  }

  private static func tile(_ request: APIRequest) async throws -> Response {
    guard let tiles = request.server.tiles, let zoom = Int(request.parameter("z")),
      let x = Int(request.parameter("x")), let y = Int(request.parameter("y"))
    else { throw ServeError.noRoute }
    let bytes = try await request.server.library.work { _ in
      try tiles.database.tile(zoom: zoom, x: x, y: y)
    }
    guard let bytes else { throw ServeError.noRoute }
    return .bytes(bytes, type: tiles.type, isImmutable: true)
  }

  fileprivate static func isClustered(_ count: Int) -> Bool { count > pinLimit }
}

extension MapCluster {
  fileprivate var members: [(String, JSON)] {
    [
      ("bounds", [JSON(west), JSON(south), JSON(east), JSON(north)]), ("count", JSON(count)),
      ("location", [JSON(latitude), JSON(longitude)]),
    ]
  }
}

extension Dataset {
  /// Returns the clusters of photos and the pins in view.
  fileprivate func map(
    _ view: MapView, _ zoom: Double, _ wanted: Set<PhotoRowKey>?
  ) throws -> JSON {
    let grid = MapGrid(zoom: zoom)
    return try withIndex(updating: false) { index -> JSON in
      let points = try index.photoPoints().filter {
        view.contains($0.latitude, $0.longitude) && wanted?.contains($0.key) ?? true
      }
      let clusters = grid.clusters(points.map { ($0.latitude, $0.longitude) })
      let ids = try index.photoIDs(of: clusters.map { points[$0.first].key })
      let pins = try index.pinPoints().filter { view.contains($0.latitude, $0.longitude) }
      // The documents of pins are read only where few are in view.
      let isClustered = MapRoutes.isClustered(pins.count)
      let pinClusters =
        isClustered ? grid.clusters(pins.map { ($0.latitude, $0.longitude) }) : []
      let shown = isClustered ? [] : try index.pins(of: pins.map(\.key))
      return [
        "clusters": .array(
          zip(clusters, ids).map { cluster, id in
            .object(JSONObject(cluster.members + [("photo", JSON(id?.description))]))
          }),
        "pinClusters": .array(pinClusters.map { .object(JSONObject($0.members)) }),
        "pins": .array(shown.map { $0.pin.json(photos: $0.photos) }),
        "total": JSON(points.count),
      ]
    }
  }
}
