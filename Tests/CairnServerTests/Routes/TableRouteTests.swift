import Cairn
import CairnDocument
import Foundation
import Testing

@Suite("Tables and metrics", .serialized, .timeLimit(.minutes(10)))
struct TableRouteTests {
  private func scene() async throws -> ServerScene {
    try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      for (photo, confidence) in zip(photos, [0.9, 0.8, 0.7]) {
        try dataset.label(
          [photo], ["oak"], LabelAssertion(.present, by: model, confidence: confidence))
      }
      try dataset.label([photos[0]], ["oak"])
      try dataset.label([photos[1]], ["oak"], LabelAssertion(.absent))
      _ = try dataset.editPhotos([photos[0]], title: "=SUM(1), \"x\"")
    }
  }

  private func table(_ scene: ServerScene, _ body: JSON) async throws -> JSON {
    let reply = try await scene.request("POST", "/api/tables", body)
    try #require(reply.status == 201, "\(reply.text)")
    return reply.json
  }

  @Test("has predictions and verdicts side by side")
  func rows() async throws {
    let scene = try await scene()
    let table = try await table(scene, ["sort": "confidence", "descending": true])
    #expect(table["count"]?.int == 3)
    let name = try #require(table["table"]?.string)
    let rows = try await scene.get("/api/tables/\(name)?count=10")["rows"]?.array ?? []
    let states = rows.map { "\($0["class"]?.string ?? "") \($0["state"]?.string ?? "")" }
    #expect(states.sorted() == ["oak confirmed", "oak predicted", "oak rejected"])
    let first = rows.first { $0["state"]?.string == "confirmed" }
    #expect(first?["predictions"]?.array?.first?["model"]?.string == "net@1")
    #expect(first?["verdicts"]?.array?.first?["person"]?.string == "ann@example.org")
    let page = try await scene.get("/api/tables/\(name)?from=2&count=10")
    #expect(page["rows"]?.array?.count == 1 && page["from"]?.int == 2)
  }

  @Test(
    "filters by cell",
    arguments: [
      (#"{"class": "oak"}"#, 3), (#"{"state": "predicted"}"#, 1), (#"{"model": "net@1"}"#, 3),
      (#"{"person": "ann@example.org"}"#, 2), (#"{"model": "net@2"}"#, 0),
      (#"{"confidence": 0.8}"#, 1), (#"{"confidence": 0.7}"#, 2), (#"{"pin": "none"}"#, 3),
      (#"{"day": "1999-01-01"}"#, 0),
      (#"{"model": "net@1", "person": "ann@example.org", "state": "rejected"}"#, 1),
    ])
  func filters(filter: String, count: Int) async throws {
    let scene = try await scene()
    let filter = try JSON(bytes: Array(filter.utf8))
    #expect(try await table(scene, ["filter": filter])["count"]?.int == count)
  }

  @Test("filters by the photo, the pin and the day of a cell")
  func filtersByPhoto() async throws {
    let scene = try await scene()
    let photo = scene.photos[1]
    let pin = try await scene.request(
      "POST", "/api/pins", ["name": "Harbor", "location": [53.5, 10]]
    ).json["pin"]?["pin"]?.string
    let id = try #require(pin)
    _ = try await scene.edit([
      "do": "pin", "pin": .string(id), "target": ["photos": [.string(photo.description)]],
    ])
    let filters: [JSON] = [["photo": .string(photo.description)], ["pin": .string(id)]]
    for filter in filters {
      let table = try await table(scene, ["filter": filter])
      #expect(table["count"]?.int == 1, "\(filter)")
      let rows = try await scene.get("/api/tables/\(table["table"]?.string ?? "")")["rows"]?.array
      #expect(rows?.first?["photo"]?.string == photo.description)
    }
    #expect(try await self.table(scene, ["filter": ["pin": "none"]])["count"]?.int == 2)
    let taken = try await rows(scene, by: "taken").compactMap { $0["taken"]?.string }
    for day in Set(taken.map { String($0.prefix(10)) }) {
      let count = try await self.table(scene, ["filter": ["day": .string(day)]])["count"]?.int
      #expect(count == taken.count { $0.hasPrefix(day) })
    }
  }

  private func rows(
    _ scene: ServerScene, by order: String, descending: Bool = false
  ) async throws -> [JSON] {
    let table = try await table(scene, ["sort": .string(order), "descending": .bool(descending)])
    return try await scene.get("/api/tables/\(table["table"]?.string ?? "")")["rows"]?.array ?? []
  }

  @Test("is sorted by predictions, verdicts, pin, name and confidence")
  func sorts() async throws {
    let scene = try await scene()
    func photos(_ order: String, descending: Bool = false) async throws -> [Int?] {
      try await rows(scene, by: order, descending: descending).map { row in
        scene.photos.firstIndex { $0.description == row["photo"]?.string }
      }
    }
    #expect(try await photos("predictions") == [2, 1, 0])
    #expect(try await photos("predictions", descending: true) == [0, 1, 2])
    // Nobody labeled the third photo.
    #expect(try await photos("verdicts").first == 2)
    #expect(try await photos("verdicts", descending: true).last == 2)
    // A rejected class is less than any prediction, whatever the confidence of the rejection.
    #expect(try await photos("confidence") == [1, 2, 0])
    let names = try await rows(scene, by: "name").compactMap { $0["name"]?.string }
    #expect(names == names.sorted() && Set(names).count == 3, "\(names)")
    let pin = try await scene.request(
      "POST", "/api/pins", ["name": "Harbor", "location": [53.5, 10]]
    ).json["pin"]?["pin"]?.string
    _ = try await scene.edit([
      "do": "pin", "pin": .string(try #require(pin)),
      "target": ["photos": [.string(scene.photos[2].description)]],
    ])
    // Photos without a pin come last.
    #expect(try await photos("pin").first == 2)
  }

  @Test("is copied as CSV whose cells no spreadsheet runs as formulas")
  func csv() async throws {
    let scene = try await scene()
    let name = try #require(try await table(scene, ["query": "state:confirmed"])["table"]?.string)
    let reply = try await scene.request("GET", "/api/tables/\(name)/csv")
    #expect(reply.headers["content-type"] == "text/csv; charset=utf-8")
    #expect(reply.headers["content-disposition"]?.hasPrefix("attachment") == true)
    let lines = reply.text.components(separatedBy: "\r\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("photo,name,class"))
    #expect(lines[1].contains(#","'=SUM(1), ""x""","#))
    #expect(lines[1].contains("net@1 present 0.9"))
  }

  @Test("reports tables that expired, and arguments that are not valid")
  func refuses() async throws {
    let scene = try await scene()
    let first = try #require(try await table(scene, [:])["table"]?.string)
    for _ in 0..<8 { _ = try await table(scene, [:]) }
    #expect(try await scene.request("GET", "/api/tables/\(first)").status == 410)
    #expect(try await scene.request("GET", "/api/tables/x").status == 404)
    let bodies: [JSON] = [
      ["sort": "x"], ["filter": ["state": "x"]], ["query": "x:("], ["filter": ["confidence": 2]],
      ["filter": ["day": "2024-13-01"]], ["filter": ["pin": "x"]], ["filter": ["photo": "x"]],
    ]
    for body in bodies {
      #expect(try await scene.request("POST", "/api/tables", body).status == 400)
    }
    let unknown = try await scene.request("POST", "/api/tables", ["filter": ["class": "elm"]])
    #expect(unknown.status == 404)
  }

  @Test("compares models with people, and opens the photos of a cell")
  func metrics() async throws {
    let scene = try await scene()
    let models = try await scene.get("/api/metrics/models")["models"]?.array
    let model = models?.first
    #expect(models?.count == 1 && model?["model"]?.string == "net@1")
    let oak = model?["classes"]?.array?.first
    #expect(oak?["truePositives"]?.int == 1 && oak?["falsePositives"]?.int == 1)
    #expect(oak?["precision"]?.double == 0.5)
    let set = try await scene.request(
      "POST", "/api/sets",
      [
        "cell": [
          "model": "net@1", "class": "oak", "truth": "absent", "prediction": "present",
        ]
      ])
    #expect(set.json["count"]?.int == 1, "\(set.text)")
    let name = try #require(set.json["set"]?.string)
    let page = try await scene.get("/api/sets/\(name)/photos")
    #expect(page["photos"]?.array?.first?["id"]?.string == scene.photos[1].description)
  }

  @Test("reports the agreement between people")
  func agreement() async throws {
    let scene = try await ServerScene.start()
    let bob = Author(name: "Bob", email: "bob@example.org")
    for number in 0..<4 { _ = try await scene.label(number, "oak") }
    let photos = scene.photos
    try await scene.change(as: bob) { dataset in
      try dataset.label(Array(photos[0..<3]), ["oak"])
      try dataset.label([photos[3]], ["oak"], LabelAssertion(.absent))
    }
    // The server notices what other processes write within a second or two.
    let stream = try await scene.owner.openEvents()
    _ = try await scene.label(0, "elm")
    _ = try await stream.receive(until: "event: photos")
    let json = try await scene.get("/api/metrics/agreement")
    #expect(json["people"]?.array == ["ann@example.org", "bob@example.org"])
    let oak = json["subjects"]?.array?.first { $0["subject"]?.string == "oak" }
    #expect(oak?["photos"]?.int == 4 && oak?["agreement"]?.double == 0.75)
    #expect(json["pairs"]?.array?.first?["agreement"]?.double == 0.75)
    // The cells of the matrix of people.
    let people: JSON = ["bob@example.org", "ann@example.org"]
    func count(_ cell: JSON) async throws -> Int? {
      let reply = try await scene.request("POST", "/api/sets", ["cell": cell])
      #expect(reply.status == 201, "\(reply.text)")
      return reply.json["count"]?.int
    }
    #expect(try await count(["people": people, "class": "oak"]) == 4)
    #expect(try await count(["people": people, "class": "oak", "agreed": true]) == 3)
    #expect(try await count(["people": people, "agreed": false]) == 1)
    #expect(try await count(["people": people, "class": "elm"]) == 0)
    let alone = try await scene.request(
      "POST", "/api/sets", ["cell": ["people": ["ann@example.org"]]])
    #expect(alone.status == 400)
  }

  @Test("counts the photos on which two people differ in any class, also of an exclusive set")
  func overallAgreement() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      try dataset.label(Array(photos[0..<3]), ["elm"])
      try dataset.label([photos[3]], ["oak"])
      for name in ["elm", "oak"] {
        try dataset.setClassSet(try #require(ClassKey(name)), ClassKey("tree"))
      }
      let author = Author(name: "Bob", email: "bob@example.org")
      let bob = try Dataset(at: dataset.root, author: author)
      // He names no tree on the first photo, another one on the second, and the same on the third.
      try bob.label([photos[0]], ["elm"], LabelAssertion(.absent))
      try bob.label([photos[1]], ["oak"])
      try bob.label([photos[2]], ["elm"])
    }
    let json = try await scene.get("/api/metrics/agreement")
    let set = json["pairs"]?.array?.first { $0["kind"]?.string == "set" }
    #expect(set?["photos"]?.int == 2)
    let overall = json["overall"]?.array
    #expect(overall?.count == 1, "\(json)")
    #expect(overall?.first?["first"]?.string == "ann@example.org")
    #expect(overall?.first?["second"]?.string == "bob@example.org")
    #expect(overall?.first?["photos"]?.int == 3 && overall?.first?["differing"]?.int == 2)
    // Elm: 1 of 3 is equal, as expected by chance. Oak: 1 of 2, as expected by chance, too.
    #expect(overall?.first?["kappa"]?.double == 0)
    // They are the photos that the matrix opens. Both rated oak absent by naming elm.
    let people: JSON = ["ann@example.org", "bob@example.org"]
    let cells: [(JSON, Int)] = [
      (["people": people], 3), (["people": people, "agreed": false], 2),
      (["people": people, "class": "oak"], 2),
      (["people": people, "class": "oak", "agreed": true], 1),
    ]
    for (cell, count) in cells {
      let opened = try await scene.request("POST", "/api/sets", ["cell": cell])
      #expect(opened.json["count"]?.int == count, "\(opened.text)")
    }
    let oak = try await scene.get("/api/metrics/agreement?class=oak")["overall"]?.array?.first
    #expect(oak?["photos"]?.int == 2 && oak?["differing"]?.int == 1, "\(String(describing: oak))")
  }
}
