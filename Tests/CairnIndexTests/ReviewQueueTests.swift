import CairnDocument
import CairnMerge
import CairnReview
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import Cairn

@Suite("The review queue")
struct ReviewQueueTests {
  // MARK: Order

  @Test("each question stands once, under its most pressing reason, in the order of reasons")
  func order() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, by: "ann")
    try place.say(0, "dog", .absent, by: "bob")
    try place.say(1, "dog", .present, model: "net@1", 0.58)
    try place.say(2, "dog", .present, model: "net@1", 0.47)
    try place.say(3, "dog", .present, model: "net@1", 0.9)
    try place.say(3, "dog", .absent, model: "vit@1", 0.9)
    try place.say(4, "dog", .present, model: "net@1", 0.95)
    try place.say(5, "dog", .present, by: "bob", replica: 7)
    try place.remove(5)
    try place.say(6, "favorite", .present, by: "ann")
    try place.say(6, "favorite", .absent, by: "bob")
    try place.say(7, "dog", .present, by: "ann")
    #expect(
      try place.queue() == [
        "0 dog disputed", "2 dog unsure", "1 dog unsure", "3 dog models", "5 - removed",
        "4 dog rare",
      ])
    #expect(try place.dataset.reviewCount() == 6)
    var request = ReviewFilter()
    request.reasons = [.models, .rare]
    #expect(try place.queue(request) == ["3 dog models", "4 dog rare", "1 dog rare"])
    request = ReviewFilter()
    request.className = "dog"
    request.query = try PhotoQuery("state:disputed")
    #expect(try place.queue(request) == ["0 dog disputed"])
    #expect(try place.queue(limit: 2) == ["0 dog disputed", "2 dog unsure"])
  }

  @Test("shares part the queue, and each photo has the same owner in every queue")
  func shares() throws {
    let place = try ReviewScene()
    for number in 0..<10 {
      try place.say(number, "dog", .present, by: "ann")
      try place.say(number, "dog", .absent, by: "bob")
    }
    let all = try place.queue()
    #expect(all.count == 10)
    var parts: [String] = []
    for number in 1...3 {
      var request = ReviewFilter()
      request.share = ReviewShard(number, of: 3)
      parts += try place.queue(request)
    }
    #expect(parts.sorted() == all.sorted())
  }

  // MARK: What is decided

  @Test("what I ruled on is not asked again, until somebody says otherwise")
  func ruled() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, by: "ann")
    try place.say(0, "dog", .absent, by: "bob")
    // It still is disputed, and I have had my say.
    #expect(try place.answer(0, .accept) == .decided(.accept))
    #expect(try place.queue() == [])
    #expect(try place.state(0, "dog") == .disputed)
    try place.say(0, "dog", .present, by: "cy")
    #expect(try place.state(0, "dog") == .confirmed)
    try place.say(0, "dog", .absent, by: "dan")
    #expect(try place.queue() == ["0 dog disputed"])
  }

  @Test("each answer becomes the label that cairn label would write, or takes the photo back")
  func answers() throws {
    let place = try ReviewScene()
    for number in 0..<4 { try place.say(number, "dog", .present, model: "net@1", 0.55) }
    try place.say(5, "dog", .present, by: "bob", replica: 7)
    try place.remove(5)
    #expect(try place.answer(0, .accept) == .decided(.accept))
    #expect(try place.answer(1, .reject) == .decided(.reject))
    #expect(try place.answer(2, .other("Gray cat")) == .decided(.other("Gray cat")))
    #expect(try place.answer(3, .skip) == .decided(.skip))
    #expect(try place.answer(5, .accept) == .decided(.accept))
    #expect(try place.own(0) == ["dog present"])
    #expect(try place.own(1) == ["dog absent"])
    #expect(try place.own(2) == ["dog absent", "gray-cat present"])
    #expect(try place.own(3) == [])
    #expect(try place.dataset.show(place.photos[5]).visibility.isVisible)
    #expect(try place.queue() == [])
    var request = ReviewFilter()
    request.includesSkipped = true
    #expect(try place.queue(request) == ["3 dog unsure"])
  }

  @Test("of an exclusive set the other class says enough")
  func exclusive() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    try place.say(1, "cat", .present, by: "bob")
    for name in ["dog", "cat"] {
      _ = try place.dataset.setClassSet(ClassKey(name)!, ClassKey("animal")!)
    }
    #expect(try place.answer(0, .other("cat")) == .decided(.other("cat")))
    #expect(try place.own(0) == ["cat present"])
    #expect(try place.state(0, "dog") == .rejected)
  }

  @Test("left removed, a photo is not asked about again until somebody speaks of it")
  func leftRemoved() throws {
    let place = try ReviewScene()
    try place.say(5, "dog", .present, by: "bob", replica: 7)
    try place.remove(5)
    #expect(try place.answer(5, .reject) == .decided(.reject))
    var request = ReviewFilter()
    request.includesSkipped = true
    #expect(try place.queue(request) == [])
    #expect(try !place.dataset.show(place.photos[5]).visibility.isVisible)
  }

  @Test("what somebody says between question and answer is seen before anything is written")
  func meanwhile() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    try place.say(1, "dog", .present, by: "cy")
    try place.say(1, "dog", .absent, by: "bob")
    let sitting = try place.dataset.startReview()
    let items = try place.dataset.reviewQueue()
    let questions = try items.map { try #require(try sitting.question($0)) }
    try place.say(0, "dog", .present, by: "bob")
    try place.say(1, "dog", .present, by: "eve")
    try place.say(1, "dog", .absent, by: "dan")
    #expect(items.map(\.doubts[0].reason) == [.disputed, .unsure])
    #expect(try sitting.answer(questions[0], .accept) == .changed)
    guard case .settled(let words) = try sitting.answer(questions[1], .accept) else {
      Issue.record("an answer was written over another's")
      return
    }
    #expect(words.contains("bob@example.org"))
    #expect(try place.own(0) == [] && place.own(1) == [])
  }

  // MARK: What is kept

  @Test("there is one review at a time, and torn lines of its file harm nothing")
  func file() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    var first: ReviewSession? = try place.dataset.startReview()
    #expect { try place.dataset.startReview() } throws: { ($0 as? CairnError)?.kind == .locked }
    _ = first?.me
    first = nil
    #expect(try place.answer(0, .skip) == .decided(.skip))
    let file = place.dataset.root.appending(".git/cairn/review").string
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try (text + "{\"did\": \"ski").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try place.queue() == [])
    _ = try place.dataset.startReview().undo()
    #expect(try place.queue() == ["0 dog unsure"])
  }
}
