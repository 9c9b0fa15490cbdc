import Cairn
import CairnDocument
import TestSupport
import Testing

@testable import CairnServer

@Suite("Map", .serialized, .timeLimit(.minutes(10)))
struct MapTests {
  @Test("clusters points of a cell, and keeps distant ones apart")
  func clusters() {
    let points = [(57.0, -4.0), (57.001, -4.001), (48.0, 2.0)]
      .map { (latitude: $0.0, longitude: $0.1) }
    let near = MapGrid(zoom: 5).clusters(points)
    #expect(near.map(\.count) == [2, 1])
    #expect(near[0].first == 0)
    #expect(abs(near[0].latitude - 57.0005) < 1e-9)
    #expect(MapGrid(zoom: 0).clusters(points).reduce(0) { $0 + $1.count } == 3)
    #expect(MapGrid(zoom: 20).clusters(points).count == 3)
  }

  @Test("a view may cross the date line")
  func dateLine() throws {
    let view = try MapView(west: 170, south: -10, east: -170, north: 10)
    #expect(view.contains(0, 175) && view.contains(0, -175))
    #expect(!view.contains(0, 0) && !view.contains(20, 175))
  }

  @Test("pins are added, moved, removed, and all of it undone")
  func pins() async throws {
    let scene = try await ServerScene.start()
    let added = try await scene.request(
      "POST", "/api/pins", ["location": [57.1, -4.7], "name": "Harbor"])
    #expect(added.status == 201)
    let id = try #require(added.json["pin"]?["pin"]?.string)
    _ = try await scene.request("PATCH", "/api/pins/\(id)", ["location": [58.0, -4.0]])
    func map() async throws -> [String] {
      let json = try await scene.get("/api/map?west=-10&south=50&east=2&north=60&zoom=5")
      return json["pins"]?.array?.map { "\($0["location"]?.array?[0].double ?? 0)" } ?? []
    }
    #expect(try await map() == ["58.0"])
    _ = try await scene.request("DELETE", "/api/pins/\(id)")
    #expect(try await map() == [])
    for expected in [["58.0"], ["57.1"], []] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await map() == expected)
    }
    #expect(try await scene.request("GET", "/api/map?west=0&south=9").status == 400)
  }

  @Test("a change of a pin, and its undo, report that the pin's photos changed")
  func reportsPhotos() async throws {
    let scene = try await ServerScene.start()
    let added = try await scene.request("POST", "/api/pins", ["location": [57.1, -4.7]])
    let id = try #require(added.json["pin"]?["pin"]?.string)
    let photo = scene.photos[0].description
    let edit: JSONObject = [
      "do": "pin", "pin": .string(id), "target": ["photos": [.string(photo)]],
    ]
    #expect(try await scene.edit(edit).status == 200)
    func row() async throws -> JSON? { try await scene.get("/api/photos/\(photo)")["photo"] }
    for (method, path, body) in [
      ("PATCH", "/api/pins/\(id)", ["location": [58.0, -4.0]]), ("POST", "/api/undo", nil),
    ] as [(String, String, JSON?)] {
      let stream = try await scene.owner.openEvents()
      #expect(try await scene.request(method, path, body).status == 200)
      _ = try await stream.receive(until: "event: photos")
      let latitude = body == nil ? 57.1 : 58.0
      #expect(try await row()?["location"]?.array?.first?.double == latitude)
    }
  }

  @Test("clusters the photos of a query or a set, and lists their points")
  func photos() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let pin = try dataset.addPin(at: try #require(Coordinate(latitude: 57.1, longitude: -4.7)))
      _ = try dataset.editPhotos(Array(photos[0..<3]), pin: .some(pin.id))
      try dataset.label([photos[0]], ["oak"])
    }
    let view = "west=-10&south=50&east=2&north=60&zoom=5"
    let all = try await scene.get("/api/map?\(view)")
    #expect(all["total"]?.int == 3 && all["clusters"]?.array?.first?["count"]?.int == 3)
    let oak = try await scene.get("/api/map?\(view)&query=label:oak")
    #expect(oak["clusters"]?.array?.first?["photo"]?.string == scene.photos[0].description)
    let set = try await scene.set(["query": "is:unlabeled"])
    #expect(try await scene.get("/api/map?\(view)&set=\(set)")["total"]?.int == 2)
    let points = try await scene.request("GET", "/api/map/points?set=\(set)").body
    #expect(points.count == 24)
    let latitude = points[4..<8].enumerated().reduce(UInt32(0)) {
      $0 | UInt32($1.element) << (8 * UInt32($1.offset))
    }
    #expect(Float(bitPattern: latitude) == 57.1)
  }

  @Test("serves the base map")
  func base() async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.request("GET", "/api/map/base")
    #expect(reply.body.starts(with: Array("CNE1".utf8)))
    #expect(reply.headers["cache-control"]?.contains("immutable") == true)
  }

  @Test("serves the tiles of the user's map, counted from the north")
  func tiles() async throws {
    let scene = try await ServerScene.start { options, directory in
      let sql = """
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
        INSERT INTO metadata VALUES ('format', 'png'), ('attribution', '© Somebody');
        INSERT INTO tiles VALUES (1, 0, 1, x'0102'), (1, 1, 0, x'03');
        """
      let python = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
      let path = directory.path("map.mbtiles")
      let output = try Command(
        "python3", ["-c", python, path.string, sql], in: directory.root.string
      ).run()
      #expect(output.status == 0, "\(output.stderr)")
      options.map = path
    }
    let tiles = try await scene.get("/api/session")["map"]?["tiles"]
    #expect(tiles?["maxzoom"]?.int == 1 && tiles?["attribution"]?.string == "© Somebody")
    let tile = try await scene.request("GET", "/api/map/tiles/1/0/0")
    #expect(tile.body == [1, 2] && tile.headers["content-type"] == "image/png")
    #expect(try await scene.request("GET", "/api/map/tiles/1/1/1").body == [3])
    for path in ["1/0/1", "2/0/0", "1/-1/0", "1/x/0", "99/0/0"] {
      #expect(try await scene.request("GET", "/api/map/tiles/\(path)").status == 404)
    }
  }
}
