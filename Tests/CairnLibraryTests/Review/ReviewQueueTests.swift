import CairnDocument
import CairnMerge
import CairnReview
import CairnStore
import CairnSync
import Foundation
import SystemPackage
import Testing

@testable import Cairn

@Suite("Review queue")
struct ReviewQueueTests {
  // MARK: Order

  @Test("lists each question once, under its most urgent reason, in the order of reasons")
  func order() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, by: "ann")
    try scene.label(0, "dog", .absent, by: "bob")
    try scene.label(1, "dog", .present, model: "net@1", 0.58)
    try scene.label(2, "dog", .present, model: "net@1", 0.47)
    try scene.label(3, "dog", .present, model: "net@1", 0.9)
    try scene.label(3, "dog", .absent, model: "vit@1", 0.9)
    try scene.label(4, "dog", .present, model: "net@1", 0.95)
    try scene.label(5, "dog", .present, by: "bob", replica: 7)
    try scene.remove(5)
    try scene.label(6, "favorite", .present, by: "ann")
    try scene.label(6, "favorite", .absent, by: "bob")
    try scene.label(7, "dog", .present, by: "ann")
    #expect(
      try scene.queue() == [
        "0 dog disputed", "2 dog unsure", "1 dog unsure", "3 dog models", "5 - removed",
        "4 dog rare",
      ])
    #expect(try scene.dataset.reviewCount() == 6)
    var request = ReviewFilter()
    request.reasons = [.models, .rare]
    #expect(try scene.queue(request) == ["3 dog models", "4 dog rare", "1 dog rare"])
    request = ReviewFilter()
    request.className = "dog"
    request.query = try PhotoQuery("state:disputed")
    #expect(try scene.queue(request) == ["0 dog disputed"])
    #expect(try scene.queue(limit: 2) == ["0 dog disputed", "2 dog unsure"])
  }

  @Test("divides the queue into shards without gaps or overlaps")
  func shares() throws {
    let scene = try ReviewScene()
    for number in 0..<10 {
      try scene.label(number, "dog", .present, by: "ann")
      try scene.label(number, "dog", .absent, by: "bob")
    }
    let all = try scene.queue()
    #expect(all.count == 10)
    var sharded: [String] = []
    for number in 1...3 {
      var request = ReviewFilter()
      request.shard = ReviewShard(number, of: 3)
      sharded += try scene.queue(request)
    }
    #expect(sharded.sorted() == all.sorted())
  }

  // MARK: Answers

  @Test("does not repeat an answered question until another person disagrees")
  func decided() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, by: "ann")
    try scene.label(0, "dog", .absent, by: "bob")
    // The label is still disputed, but this person has answered.
    #expect(try scene.answer(0, .accept) == .decided(.accept))
    #expect(try scene.queue() == [])
    #expect(try scene.state(0, "dog") == .disputed)
    try scene.label(0, "dog", .present, by: "cy")
    #expect(try scene.state(0, "dog") == .confirmed)
    try scene.label(0, "dog", .absent, by: "dan")
    #expect(try scene.queue() == ["0 dog disputed"])
  }

  @Test("writes the labels of each answer, or restores the photo")
  func answers() throws {
    let scene = try ReviewScene()
    for number in 0..<4 { try scene.label(number, "dog", .present, model: "net@1", 0.55) }
    try scene.label(5, "dog", .present, by: "bob", replica: 7)
    try scene.remove(5)
    #expect(try scene.answer(0, .accept) == .decided(.accept))
    #expect(try scene.answer(1, .reject) == .decided(.reject))
    #expect(try scene.answer(2, .other("Gray cat")) == .decided(.other("Gray cat")))
    #expect(try scene.answer(3, .skip) == .decided(.skip))
    #expect(try scene.answer(5, .accept) == .decided(.accept))
    #expect(try scene.own(0) == ["dog present"])
    #expect(try scene.own(1) == ["dog absent"])
    #expect(try scene.own(2) == ["dog absent", "gray-cat present"])
    #expect(try scene.own(3) == [])
    #expect(try scene.dataset.show(scene.photos[5]).visibility.isVisible)
    #expect(try scene.queue() == [])
    var request = ReviewFilter()
    request.includesSkipped = true
    #expect(try scene.queue(request) == ["3 dog unsure"])
  }

  @Test("labels only the other class when both classes are in one exclusive set")
  func exclusive() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    try scene.label(1, "cat", .present, by: "bob")
    for name in ["dog", "cat"] {
      _ = try scene.dataset.setClassSet(ClassKey(name)!, ClassKey("animal")!)
    }
    #expect(try scene.answer(0, .other("cat")) == .decided(.other("cat")))
    #expect(try scene.own(0) == ["cat present"])
    #expect(try scene.state(0, "dog") == .rejected)
  }

  @Test("does not ask again about a photo that was left removed")
  func leftRemoved() throws {
    let scene = try ReviewScene()
    try scene.label(5, "dog", .present, by: "bob", replica: 7)
    try scene.remove(5)
    #expect(try scene.answer(5, .reject) == .decided(.reject))
    var request = ReviewFilter()
    request.includesSkipped = true
    #expect(try scene.queue(request) == [])
    #expect(try !scene.dataset.show(scene.photos[5]).visibility.isVisible)
  }

  @Test("asks nothing about a photo whose metadata was erased, also if it gets labels later")
  func erased() throws {
    let scene = try ReviewScene()
    let dataset = scene.dataset
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    let item = try #require(try dataset.reviewQueue().first)
    try dataset.commit()
    try dataset.edit("erase") { session in
      _ = try dataset.replica.erase(
        .metadata, of: [scene.photos[0], scene.photos[9]], reason: "asked", session: session)
    }
    // As another program does.
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    try scene.label(1, "dog", .present, model: "net@1", 0.55)
    #expect(try scene.state(0, "dog") == .predicted)
    #expect(try scene.queue() == ["1 dog unsure"])
    #expect(try dataset.reviewCount() == 1)
    let review = try dataset.startReview()
    #expect(try review.question(item) == nil)
    #expect(try dataset.unlabeledPhotos(.everything).count == 7)
  }

  @Test("writes nothing when another person labels the photo before the answer")
  func meanwhile() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    try scene.label(1, "dog", .present, by: "cy")
    try scene.label(1, "dog", .absent, by: "bob")
    let session = try scene.dataset.startReview()
    let items = try scene.dataset.reviewQueue()
    let questions = try items.map { try #require(try session.question($0)) }
    try scene.label(0, "dog", .present, by: "bob")
    try scene.label(1, "dog", .present, by: "eve")
    try scene.label(1, "dog", .absent, by: "dan")
    #expect(items.map(\.reasons[0].reason) == [.disputed, .unsure])
    #expect(try session.answer(questions[0], .accept) == .changed)
    guard case .alreadyDecided(let resolution) = try session.answer(questions[1], .accept) else {
      Issue.record("an answer was written over another's")
      return
    }
    #expect(resolution?.reason.text.contains("bob@example.org") == true)
    #expect(try scene.own(0) == [] && scene.own(1) == [])
  }

  // MARK: The review's file

  @Test("allows one review at a time and ignores a torn line in its file")
  func file() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    var first: ReviewSession? = try scene.dataset.startReview()
    #expect { try scene.dataset.startReview() } throws: { ($0 as? CairnError)?.kind == .locked }
    _ = first?.me
    first = nil
    #expect(try scene.answer(0, .skip) == .decided(.skip))
    let file = scene.dataset.root.appending(".git/cairn/review").string
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try (text + "{\"did\": \"ski").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try scene.queue() == [])
    _ = try scene.dataset.startReview().undo()
    #expect(try scene.queue() == ["0 dog unsure"])
  }

  @Test("rewrites the file when most of its lines are superfluous")
  func compacted() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    // There is nothing to undo yet.
    for _ in 0..<1010 { try scene.dataset.appendReviewEvent(.undone([])) }
    #expect(try scene.answer(0, .skip) == .decided(.skip))
    #expect(try scene.dataset.reviewEvents().count < 10)
    #expect(try scene.queue() == [])
  }
}
