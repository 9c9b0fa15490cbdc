import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("Policy dawid-skene")
struct ConsensusPolicyTests {
  @Test(
    "gives the states and probabilities that the oracle computes",
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
      for (photo, probabilities) in photos {
        for key in classes {
          let candidate = name.hasPrefix("set") ? key : "True"
          if probabilities[candidate] == .null { continue }
          let why = try box.json("why", photo, key, in: "a")["classes"].elements[0]
          let probability = why["estimate"]["candidates"].elements
            .filter { $0["category"].string == key }
            .map { min($0["probability"].number, $0["evenProbability"].number) }
          let difference = (probability.first ?? .nan) - probabilities[candidate].number
          #expect(abs(difference) < 1e-6, "\(photo) \(key)")
          guard case .object(let all) = probabilities else { continue }
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

  @Test("gives identical estimates on devices that received the labels in different orders")
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
    // Each device estimates with its own labels first, then with the other's.
    for round in 0..<3 {
      for (device, verdict) in [("a", "--absent"), ("b", "")] {
        let photos = scene.photos[round * 8..<round * 8 + 6].map(\.description)
        let option = verdict.isEmpty ? [] : [verdict]
        let output = try box.run(
          "cairn", ["label"] + photos + ["--class=oak"] + option, in: device)
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
    // A rebuilt index and a new clone read all labels at once.
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
    "shows the probability of each verdict and each person's error rates with cairn why")
  func why() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 8)
    try box.cairn("policy", "set", "--people", "dawid-skene", in: "a")
    func label(_ person: String, _ photos: ArraySlice<String>, _ verdict: String...) throws {
      try box.setIdentity(person, in: "a")
      let output = try box.run(
        "cairn", ["label"] + photos + ["--class=oak"] + verdict, in: "a")
      #expect(output.status == 0, "\(output.stderr)")
    }
    for person in ["Ann", "Bob"] {
      try label(person, photos[0..<3])
      try label(person, photos[3..<6], "--absent")
    }
    // Cy contradicts both on all photos, and is the only one to label the last two.
    try label("Cy", photos[3..<8])
    try label("Cy", photos[0..<3], "--absent")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "oak", on: photos[4], in: "a") == "rejected")
    #expect(try box.state(of: "oak", on: photos[7], in: "a") == "confirmed")
    let oak = try box.json("why", photos[0], "oak", in: "a")["classes"].elements[0]
    #expect(oak["estimate"]["photos"].number == 6)
    #expect(oak["estimate"]["threshold"].number == 0.9)
    #expect(oak["estimate"]["categories"].elements == [.null, .string("oak")])
    let people = oak["estimate"]["people"].elements
    #expect(
      people.map { $0["annotator"].string.dropLast(12) } == ["human:ann", "human:bob", "human:cy"])
    for (person, isRight) in zip(people, [true, true, false]) {
      for (index, row) in person["matrix"].elements.enumerated() {
        let shares = row.elements.map(\.number)
        #expect(abs(shares.reduce(0, +) - 1) < 1e-12)
        #expect((shares[index] > 0.7) == isRight)
      }
    }
    let text = try box.cairn("why", photos[0], in: "a").stdout
    #expect(
      text.contains("Given each person's error rates: absent") && text.contains("votes present"))
    #expect(text.contains("Estimated from 6 photos labeled by two or more people."))
    #expect(
      try !box.cairn("why", photos[7], in: "a").stdout.contains("Given each person's error rates"))
    #expect(try box.json("why", photos[7], in: "a")["classes"].elements[0]["estimate"] == .null)
    #expect(try box.cairn("policy", "show", in: "a").stdout.contains("(dawid-skene)"))
    // Under another policy there is no estimate.
    try box.cairn("policy", "set", "--people", "majority", in: "a")
    #expect(try box.json("why", photos[0], in: "a")["classes"].elements[0]["estimate"] == .null)
  }
}
