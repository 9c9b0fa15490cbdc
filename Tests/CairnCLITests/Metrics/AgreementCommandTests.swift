import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("cairn agreement")
struct AgreementCommandTests {
  @Test(
    "prints the figures that scikit-learn, statsmodels and krippendorff compute",
    .enabled(if: Programs.clients != nil, Programs.missingClients), arguments: UInt64(1)..<5)
  func oracle(seed: UInt64) throws {
    let scene = try MetricsScene(seed: seed)
    let (report, wanted) = (
      try scene.box.json("agreement", in: "a"), try scene.oracle()
    )
    let rows = report["rows"].elements
    #expect(rows.count == 6 && rows.allSatisfy { $0["photos"].number > 10 })
    #expect(
      report["people"].elements.map(\.string) == ["human:ann@x", "human:bob@x", "human:cy@x"])
    for row in rows {
      let isSet = row["set"] != .null
      let name = isSet ? row["set"].string : row["class"].string
      let expected = wanted[isSet ? "sets" : "classes"][name]
      for figure in [
        "photos", "ratedPhotos", "ratings", "people", "agreement", "alpha", "fleissKappa",
        "fleissPhotos",
      ] {
        #expect(
          isEqual(row[figure], expected[figure]),
          "\(name) \(figure): \(row[figure]), \(expected[figure])")
      }
      let pairs = report["pairs"].elements.filter {
        $0["set"] == row["set"] && $0["class"] == row["class"]
      }
      #expect(pairs.count == 3)
      for pair in pairs {
        let people = pair["people"].elements.map(\.string).joined(separator: " ")
        for figure in ["photos", "agreement", "kappa"] {
          #expect(
            isEqual(pair[figure], expected["pairs"][people][figure]), "\(name) \(people) \(figure)")
        }
      }
    }
    let text = try scene.box.cairn("agreement", in: "a").stdout
    #expect(text.contains(/\d \(\d+ photos? with \d+ ratings\)/), "\(text)")
    // The lowest figure comes first.
    for (rows, figure) in [(rows, "alpha"), (report["pairs"].elements, "kappa")] {
      let figures = rows.map { $0[figure].number }
      #expect(figures == figures.sorted())
    }
  }

  @Test("selects classes by name or alias, and photos by a query")
  func selection() throws {
    let scene = try MetricsScene(seed: 9)
    func names(_ arguments: String...) throws -> [String] {
      let output = try scene.box.run("cairn", ["agreement", "--json"] + arguments, in: "a")
      try #require(output.status == 0, "\(output.stderr)")
      return try output.json()["rows"].elements.map { $0["name"].string }.sorted()
    }
    #expect(try names("--class", "elmtree") == ["elm"])
    #expect(try names("--class", "oak", "--class", "husky") == ["breed", "husky", "oak"])
    let all = try scene.box.json("agreement", "--class", "oak", in: "a")["rows"].elements[0]
    let some = try scene.box.json(
      "agreement", "--class", "oak", "--find", "label:husky", in: "a")["rows"].elements[0]
    #expect(some["photos"].number > 0 && some["photos"].number < all["photos"].number)
    let removed = try scene.box.json("agreement", "--find", "is:removed", in: "a")
    #expect(removed["rows"].elements.isEmpty)
    try scene.box.refuses("agreement", "--class", "ash", in: "a", with: ExitStatus.notFound)
    try scene.box.refuses("agreement", "--find", "label:", in: "a", with: ExitStatus.badData)
  }

  @Test("gives the reason when a figure is undefined")
  func undefined() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 3)
    #expect(try box.cairn("agreement", in: "a").stdout.contains("no agreement to measure"))
    for photo in photos { try box.cairn("label", photo, "oak", in: "a") }
    #expect(try box.cairn("agreement", in: "a").stdout.contains("no agreement to measure"))
    #expect(
      try box.json("agreement", in: "a")["rows"].elements.map { $0["alphaUndefined"].string }
        == ["no-overlap"])
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[0], photos[1], "oak", in: "a")
    try box.cairn("label", photos[0], "elm", in: "a")
    let report = try box.json("agreement", in: "a")
    #expect(report["rows"].strings("alphaUndefined") == ["no-overlap", "no-variation"])
    #expect(report["rows"].elements.map(\.["alpha"]) == [.null, .null])
    #expect(report["pairs"].elements.map(\.["kappa"]) == [.null])
    #expect(report["pairs"].elements.map { $0["agreement"].number } == [1])
    let text = try box.cairn("agreement", in: "a").stdout
    #expect(text.contains("all ratings are equal"))
    #expect(text.contains("1 more class has no photo that two people labeled."))
    #expect(!text.contains("nan"))
    // With .mailmap, Bob's address is Ann's: one person has no agreement.
    try box.write("Ann <ann@example.org> <bob@example.org>\n", to: "a/.mailmap")
    #expect(try box.json("agreement", in: "a")["pairs"].elements.isEmpty)
  }
}
