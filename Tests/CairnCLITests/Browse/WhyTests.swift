import Foundation
import TestSupport
import Testing

@Suite("cairn why")
struct WhyTests {
  @Test("lists each label of two people and two models with its status and commit")
  func everybody() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photo, "Beagle", "--run", run, "--confidence", "0.9", in: "a")
    try box.cairn("label", photo, "poodle", "--as", "other@3", "--confidence", "0.2", in: "a")
    try box.cairn("commit", "-m", "Models", in: "a")
    let models = try box.git("rev-parse", "HEAD", in: "a").word
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("class", "set", "breed", "beagle", "poodle", in: "a")
    try box.cairn("label", photo, "beagle", in: "a")
    try box.cairn("commit", "-m", "Ann", in: "a")
    let ann = try box.git("rev-parse", "HEAD", in: "a").word
    try box.cairn("label", photo, "poodle", in: "b")
    try box.cairn("commit", "-m", "Bob", in: "b")
    let bob = try box.git("rev-parse", "HEAD", in: "b").word
    // The merge commit combines the labels, but no label was given in it.
    try box.cairn("sync", in: "b")
    #expect(try box.git("rev-parse", "HEAD", in: "a").word != bob)

    let why = try box.json("why", photo, in: "a")["classes"].elements
    #expect(why.map { $0["class"].string } == ["beagle", "poodle"])
    #expect(why.map { $0["state"].string } == ["disputed", "disputed"])
    #expect(
      why[0]["reason"].string == "people disagree 1 to 1 (labeled present by ann@example.org, "
        + "labeled poodle instead by bob@example.org)")
    func summary(_ evidence: JSONValue) -> [String] {
      [
        evidence["annotator"].string, evidence["status"].string, evidence["commit"]["id"].string,
      ]
    }
    #expect(
      why[0]["evidence"].elements.map(summary) == [
        ["human:ann@example.org", "counted", ann], ["model:net@1", "overruled", models],
      ])
    #expect(
      why[1]["evidence"].elements.map(summary) == [
        ["human:bob@example.org", "counted", bob], ["model:other@3", "overruled", models],
      ])

    // The text output has a sentence for each class and a line for each label.
    let lines = try box.cairn("why", photo, "BEAGLE", in: "b").lines
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("“Beagle” is disputed: people disagree 1 to 1 ("))
    #expect(lines[2].contains("ann@example.org") && lines[2].contains(ann.prefix(10)))
    #expect(lines[2].hasSuffix("counts"))
    #expect(lines[3].contains("net@1") && lines[3].contains("0.9"))
    #expect(lines[3].contains("run \(run.prefix(8))"))
    #expect(lines[3].hasSuffix("does not count: people's labels take precedence"))
  }

  @Test("gives the reason why a label does not count, and finds no class without labels")
  func nothingCounts() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    #expect(try box.cairn("why", photo, in: "a").stdout.contains("No labels yet."))
    try box.cairn("label", photo, "oak", "--as", "net@1", "--confidence", "0.3", in: "a")
    try box.cairn("label", photo, "elm", in: "a")
    try box.cairn("unlabel", photo, "elm", in: "a")
    let why = try box.json("why", photo, in: "a")["classes"].elements
    #expect(why.map { $0["state"].string } == ["open", "open"])
    #expect(
      why.flatMap { $0["evidence"].strings("reason") }
        == ["withdrawn", "does not count: below the threshold of 0.5"])
    #expect(why.flatMap { $0["evidence"].elements.map(\.["commit"]) } == [.null, .null])
    #expect(try box.json("show", photo, in: "a")["resolution"].elements.isEmpty)
    #expect(
      try box.cairn("why", photo, "oak", in: "a").lines.last?.contains("not committed") == true)
    try box.refuses("why", photo, "ash", in: "a", with: ExitStatus.notFound)
  }

  @Test("names the commit of a label's current version, and in a shallow clone the only commit")
  func commits() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    func commit(_ arguments: String...) throws -> String {
      let label = try box.run("cairn", ["label", photos[0]] + arguments, in: "a")
      #expect(label.status == 0)
      try box.cairn("commit", in: "a")
      return try box.git("rev-parse", "HEAD", in: "a").word
    }
    func origins(in dataset: String) throws -> [String] {
      try box.json("why", photos[0], in: dataset)["classes"].elements.flatMap {
        $0["evidence"].elements.map { $0["commit"]["id"].string }
      }
    }
    let ash = try commit("ash")
    _ = try commit("oak")
    let oak = try commit("oak", "--absent")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try origins(in: "a") == [ash, oak])

    try box.git("clone", "-q", "--depth", "1", "file://" + box.url("a").path, "shallow")
    let head = try box.git("rev-parse", "HEAD", in: "shallow").word
    #expect(try origins(in: "shallow") == [head, head])
  }

  @Test(
    "counts one vote for two addresses of one person in .mailmap")
  func mailmap() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    let first = try box.git("rev-parse", "HEAD", in: "a").word
    try box.setIdentity("Annie", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "disputed")

    try box.write("Ann <ann@example.org> <annie@example.org>\n", to: "a/.mailmap")
    let oak = try box.json("why", photo, in: "a")["classes"].elements[0]
    #expect(oak["state"].string == "rejected")
    #expect(oak["reason"].string == "labeled absent by ann@example.org")
    #expect(
      oak["evidence"].strings("reason")
        == ["superseded: labeled absent later as annie@example.org", "counts"])
    #expect(oak["evidence"].elements[0]["commit"]["id"].string == first)
    #expect(oak["evidence"].elements[1]["commit"] == .null)

    // Under either address, a person withdraws the labels given under both.
    try box.cairn("unlabel", photo, "oak", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak withdrawn", "annie: oak withdrawn"])
    let after = try box.json("why", photo, in: "a")["classes"].elements[0]["evidence"].elements
    #expect(after.map(\.["commit"]) == [.null, .null])

    // A .mailmap that is a symbolic link is ignored.
    try box.remove("a/.mailmap")
    try box.sh("ln -s /etc/passwd .mailmap", in: "a")
    #expect(try box.json("why", photo, in: "a")["classes"].elements.count == 1)
  }
}
