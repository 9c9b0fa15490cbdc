import Foundation
import TestSupport
import Testing

@Suite("cairn review: JSON, count and filters")
struct ReviewListTests {
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 5)
    for (index, confidence) in ["0.95", "0.52"].enumerated() {
      try box.cairn(
        "label", photos[index], "cat", "--as", "net@1", "--confidence", confidence, in: "a")
    }
    try box.cairn("label", photos[2], "dog", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[2], "dog", "--absent", in: "a")
    try box.setIdentity("Cy", in: "a")
    return photos
  }

  @Test("prints the queue as JSON, its count and filtered queues")
  func list() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let all = try box.json("review", in: "a").elements
    #expect(all.map { $0["photo"]["id"].string } == [photos[2], photos[1], photos[0]])
    #expect(all.map { $0["reason"].string } == ["disputed", "unsure", "rare"])
    #expect(all[0]["class"].string == "dog" && all[0]["state"].string == "disputed")
    #expect(all[0]["labels"].elements.count == 2)
    #expect(
      all[1]["reasons"].elements[0]["text"].string
        == "net@1 predicts “cat” with confidence 0.52 (threshold 0.5)")
    #expect(try box.json("review", "--count", in: "a")["count"].number == 3)
    #expect(try box.cairn("review", "--count", "--class", "cat", in: "a").stdout == "2\n")
    #expect(try box.json("review", "--limit", "1", in: "a").elements.count == 1)
    for (options, count) in [
      (["--reason", "disputed,rare"], 3), (["--reason", "models"], 0),
      (["--find", "state:disputed"], 1), (["--class", "dog"], 1),
    ] {
      let output = try box.run("cairn", ["review", "--json"] + options, in: "a")
      #expect(try output.json().elements.count == count, "\(options)")
    }
  }

  @Test("suggests --json when there is no terminal")
  func noTerminal() throws {
    let box = try Sandbox()
    _ = try makeDataset(box)
    let output = try box.run("cairn", ["review"], in: "a")
    #expect(output.status == ExitStatus.badData)
    #expect(output.stderr.contains("--json"))
  }

  @Test(
    "refuses invalid options",
    arguments: [
      ["--share", "4/3"], ["--share", "x"], ["--reason", "ugly"], ["--reason", ","],
      ["--limit", "0"], ["--find", "label:"], ["--class", "nothing"],
    ])
  func refused(options: [String]) throws {
    let box = try Sandbox()
    _ = try makeDataset(box)
    let output = try box.run("cairn", ["review", "--json"] + options, in: "a")
    #expect(output.status != 0)
    #expect(!output.stderr.isEmpty && !output.stderr.contains("Fatal"))
  }
}
