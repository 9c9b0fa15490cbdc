import Cairn
import CairnDocument
import Testing

@testable import CairnServer

@Suite("Map")
struct MapGridTests {
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
}
