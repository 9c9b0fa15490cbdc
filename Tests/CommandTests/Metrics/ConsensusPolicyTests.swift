import CairnDocument
import Foundation
import Testing

@Suite("Deciding by how people err")
struct ConsensusPolicyTests {
  @Test(
    "each state and probability is that of the rule, computed from the documents alone",
    .enabled(if: Programs.clients != nil, Programs.missingClients), arguments: UInt64(1)..<4)
  func oracle(seed: UInt64) throws {
    let scene = try MetricsScene(seed: seed)
    let box = scene.box
    try box.cairn("policy", "set", "--people", "dawid-skene", in: "a")
    let wanted = try scene.oracle()["consensus"]
    var states: Set<String> = []
    for (name, classes) in [
      ("oak", ["oak"]), ("elm", ["elm"]), ("set breed", MetricsScene.breeds),
    ] {
      guard case .object(let photos) = wanted[name] else { continue }
      #expect(photos.count > 5)
      for (photo, sure) in photos {
        for key in classes {
          let candidate = name.hasPrefix("set") ? key : "True"
          if sure[candidate] == .null { continue }
          let why = try box.json("why", photo, key, in: "a")["classes"].elements[0]
          let sureness = why["estimate"]["candidates"].elements
            .filter { $0["category"].string == key }
            .map { min($0["probability"].number, $0["evenProbability"].number) }
          #expect(abs((sureness.first ?? .nan) - sure[candidate].number) < 1e-6, "\(photo) \(key)")
          guard case .object(let all) = sure else { continue }
          let best = try #require(all.max { $0.value.number < $1.value.number })
          let state =
            best.value.number < 0.9 ? "disputed" : best.key == candidate ? "confirmed" : "rejected"
          #expect(why["state"].string == state, "\(photo) \(key)")
          states.insert(state)
          if seed == 1 {
            let found = try box.cairn(
              "find", "--format", "json", "label:\(key) state:\(state)", in: "a")
            #expect(found.stdout.contains(photo))
          }
        }
      }
    }
    #expect(states.count > 1)
  }

  @Test("devices that learnt the same in other orders hold the same to be true, to the bit")
  func devices() throws {
    let scene = try MetricsScene(seed: 5, photos: 40)
    let box = scene.box
    try box.cairn("policy", "set", "--people", "dawid-skene", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    func statuses(_ device: String) throws -> String {
      try box.cairn("find", "state:any", "--json", in: device).stdout
    }
    let before = try statuses("a")
    // Each learns its own first, and estimates; then the other's.
    for round in 0..<3 {
      for (device, verdict) in [("a", "--absent"), ("b", "")] {
        let photos = scene.photos[round * 8..<round * 8 + 6].map(\.description)
        let words = verdict.isEmpty ? [] : [verdict]
        let output = try box.run(
          "cairn", ["label"] + photos + ["--class=oak"] + words, in: device)
        #expect(output.status == 0, "\(output.stderr)")
        _ = try statuses(device)
      }
      try box.cairn("commit", in: "a")
      try box.cairn("sync", in: "b")
      try box.cairn("sync", in: "b")
    }
    try box.expectEqual("a", "b")
    let after = try statuses("a")
    #expect(after != before)
    #expect(try statuses("b") == after)
    // One that reads all of it at once, too.
    try box.remove("a/.git/cairn/index.sqlite")
    #expect(try statuses("a") == after)
    try box.cairn("clone", "a", "c")
    #expect(try statuses("c") == after)
    let photo = scene.photos[0].description
    func why(_ device: String) throws -> [JSONValue] {
      try box.json("why", photo, in: device)["classes"].elements.map(\.["estimate"])
    }
    #expect(try why("a") == why("c"))
  }

  @Test(
    "why shows how likely each answer is, and how each person errs; one voice alone is not weighed")
  func why() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 8)
    try box.cairn("policy", "set", "--people", "dawid-skene", in: "a")
    func say(_ person: String, _ photos: ArraySlice<String>, _ verdict: String...) throws {
      try box.setIdentity(person, in: "a")
      let output = try box.run(
        "cairn", ["label"] + photos + ["--class=oak"] + verdict, in: "a")
      #expect(output.status == 0, "\(output.stderr)")
    }
    for person in ["Ann", "Bob"] {
      try say(person, photos[0..<3])
      try say(person, photos[3..<6], "--absent")
    }
    // Cy says the opposite of them all, and is alone with the last.
    try say("Cy", photos[3..<8])
    try say("Cy", photos[0..<3], "--absent")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "oak", on: photos[4], in: "a") == "rejected")
    #expect(try box.state(of: "oak", on: photos[7], in: "a") == "confirmed")
    let told = try box.json("why", photos[0], "oak", in: "a")["classes"].elements[0]
    #expect(told["estimate"]["photos"].number == 6)
    #expect(told["estimate"]["threshold"].number == 0.9)
    #expect(told["estimate"]["categories"].elements == [.null, .string("oak")])
    let people = told["estimate"]["people"].elements
    #expect(
      people.map { $0["annotator"].string.dropLast(12) } == ["human:ann", "human:bob", "human:cy"])
    for (person, isRight) in zip(people, [true, true, false]) {
      for (place, row) in person["matrix"].elements.enumerated() {
        let shares = row.elements.map(\.number)
        #expect(abs(shares.reduce(0, +) - 1) < 1e-12)
        #expect((shares[place] > 0.7) == isRight)
      }
    }
    let text = try box.cairn("why", photos[0], in: "a").stdout
    #expect(text.contains("By how people err: absent") && text.contains("says present"))
    #expect(text.contains("Estimated from 6 photos that two people or more rated."))
    #expect(try !box.cairn("why", photos[7], in: "a").stdout.contains("By how people err"))
    #expect(try box.json("why", photos[7], in: "a")["classes"].elements[0]["estimate"] == .null)
    #expect(try box.cairn("policy", "show", in: "a").stdout.contains("(dawid-skene)"))
    // Without the estimate it is a vote again.
    try box.cairn("policy", "set", "--people", "majority", in: "a")
    #expect(try box.json("why", photos[0], in: "a")["classes"].elements[0]["estimate"] == .null)
  }
}
