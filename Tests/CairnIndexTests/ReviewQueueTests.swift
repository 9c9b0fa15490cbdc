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
    let place = try ReviewPlace()
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
    var request = ReviewRequest()
    request.reasons = [.models, .rare]
    #expect(try place.queue(request) == ["3 dog models", "4 dog rare", "1 dog rare"])
    request = ReviewRequest()
    request.className = "dog"
    request.query = try PhotoQuery("state:disputed")
    #expect(try place.queue(request) == ["0 dog disputed"])
    #expect(try place.queue(limit: 2) == ["0 dog disputed", "2 dog unsure"])
  }

  @Test("shares part the queue, and each photo has the same owner in every queue")
  func shares() throws {
    let place = try ReviewPlace()
    for number in 0..<10 {
      try place.say(number, "dog", .present, by: "ann")
      try place.say(number, "dog", .absent, by: "bob")
    }
    let all = try place.queue()
    #expect(all.count == 10)
    var parts: [String] = []
    for number in 1...3 {
      var request = ReviewRequest()
      request.share = ReviewShare(number, of: 3)
      parts += try place.queue(request)
    }
    #expect(parts.sorted() == all.sorted())
  }

  // MARK: What is decided

  @Test("what I ruled on is not asked again, until somebody says otherwise")
  func ruled() throws {
    let place = try ReviewPlace()
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
    let place = try ReviewPlace()
    for number in 0..<4 { try place.say(number, "dog", .present, model: "net@1", 0.55) }
    try place.say(5, "dog", .present, by: "bob", replica: 7)
    try place.remove(5)
    #expect(try place.answer(0, .accept) == .decided(.accept))
    #expect(try place.answer(1, .reject) == .decided(.reject))
    #expect(try place.answer(2, .other("Grey cat")) == .decided(.other("Grey cat")))
    #expect(try place.answer(3, .skip) == .decided(.skip))
    #expect(try place.answer(5, .accept) == .decided(.accept))
    #expect(try place.own(0) == ["dog present"])
    #expect(try place.own(1) == ["dog absent"])
    #expect(try place.own(2) == ["dog absent", "grey-cat present"])
    #expect(try place.own(3) == [])
    #expect(try place.dataset.show(place.photos[5]).visibility.isInView)
    #expect(try place.queue() == [])
    var request = ReviewRequest()
    request.includesSkipped = true
    #expect(try place.queue(request) == ["3 dog unsure"])
  }

  @Test("of an exclusive set the other class says enough")
  func exclusive() throws {
    let place = try ReviewPlace()
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
    let place = try ReviewPlace()
    try place.say(5, "dog", .present, by: "bob", replica: 7)
    try place.remove(5)
    #expect(try place.answer(5, .reject) == .decided(.reject))
    var request = ReviewRequest()
    request.includesSkipped = true
    #expect(try place.queue(request) == [])
    #expect(try !place.dataset.show(place.photos[5]).visibility.isInView)
  }

  @Test("what somebody says between question and answer is seen before anything is written")
  func meanwhile() throws {
    let place = try ReviewPlace()
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

  // MARK: Taking back

  @Test("taking back restores what was there, or withdraws, one after the other, after a break too")
  func undo() throws {
    let place = try ReviewPlace()
    for number in 0..<3 {
      try place.say(number, "dog", .present, model: "net@1", 0.55)
    }
    try place.say(1, "dog", .present, by: "ann", 0.7)
    try place.say(1, "dog", .absent, by: "bob")
    #expect(try place.answer(0, .other("cat")) == .decided(.other("cat")))
    #expect(try place.answer(1, .reject) == .decided(.reject))
    #expect(try place.answer(2, .skip) == .decided(.skip))
    #expect(try place.queue() == [])
    let sitting = try place.dataset.startReview()
    #expect(try sitting.undo()?.key.photo == place.photos[2])
    #expect(try sitting.undo()?.key.photo == place.photos[1])
    let back = try place.dataset.show(place.photos[1]).labels.first {
      $0.annotator == Annotator(email: "ann@example.org")
    }
    #expect(back?.verdict == .present && back?.confidence.double == 0.7)
    #expect(try place.queue() == ["1 dog disputed", "2 dog unsure"])
    #expect(try sitting.undo()?.key.photo == place.photos[0])
    #expect(try place.own(0) == ["cat withdrawn", "dog withdrawn"])
    #expect(try sitting.undo() == nil)
    #expect(try place.queue().count == 3)
  }

  @Test("what was changed since is left, and said")
  func undoneTooLate() throws {
    let place = try ReviewPlace()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    #expect(try place.answer(0, .accept) == .decided(.accept))
    _ = try place.dataset.label([place.photos[0]], ["dog"], Statement(.absent))
    let words = try place.dataset.startReview().undo()?.words
    #expect(words?.contains("left as it is") == true)
    #expect(try place.own(0) == ["dog absent"])
  }

  @Test("a favourite is a label of one's own, and taken back as any")
  func favorites() throws {
    let place = try ReviewPlace()
    let sitting = try place.dataset.startReview()
    #expect(try sitting.toggleFavorite(place.photos[0]))
    #expect(try place.own(0) == ["favorite present"])
    #expect(try !sitting.toggleFavorite(place.photos[0]))
    #expect(try place.own(0) == ["favorite withdrawn"])
    _ = try sitting.undo()
    #expect(try place.own(0) == ["favorite present"])
    _ = try sitting.undo()
    #expect(try place.own(0) == ["favorite withdrawn"])
  }

  @Test("there is one review at a time, and torn lines of its file harm nothing")
  func file() throws {
    let place = try ReviewPlace()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    var first: ReviewSitting? = try place.dataset.startReview()
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

/// A dataset of ten photos where ann works, and what others say of them.
private final class ReviewPlace {
  let directory: URL
  let dataset: Dataset
  /// In the order of their ids, as the queue has them.
  let photos: [PhotoID]

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-review-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    dataset = try Dataset.create(at: FilePath(directory.path).appending("a"))
    let configuration = directory.appending(path: "a/.git/config")
    let text = try String(contentsOf: configuration, encoding: .utf8)
    try (text + "[user]\n\tname = Ann\n\temail = ann@example.org\n")
      .write(to: configuration, atomically: true, encoding: .utf8)
    photos = (0..<10).map { number in
      var random = SeededGenerator(UInt64(number))
      return PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
    }.sorted()
    try dataset.edit("test") { session in
      for id in photos {
        let image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
        try session.write([
          .photo(Photo(id: id, image: image, pin: nil, source: "a.jpg", stamp: session.stamp()))
        ])
      }
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func say(
    _ number: Int, _ name: String, _ verdict: Verdict, by person: String? = nil,
    model: String? = nil, _ confidence: Double = 1, replica: UInt32? = nil
  ) throws {
    let annotator = try #require(
      model.flatMap { Annotator(model: $0) }
        ?? person.flatMap { Annotator(email: $0 + "@example.org") })
    try dataset.edit("test") { session in
      let key = try dataset.classKeys(coining: [name], session: session)[0]
      var stamp = session.stamp()
      if let replica {
        stamp = Stamp(
          milliseconds: stamp.milliseconds, counter: stamp.counter,
          replica: ReplicaID(rawValue: replica))
      }
      try session.write([
        .label(
          Label(
            photo: photos[number], classKey: key, annotator: annotator, verdict: verdict,
            confidence: confidence, stamp: stamp))
      ])
    }
  }

  func remove(_ number: Int) throws { _ = try dataset.setPhotosRemoved([photos[number]], true) }

  /// `0 dog disputed`, an item each.
  func queue(_ request: ReviewRequest = ReviewRequest(), limit: Int = 100) throws -> [String] {
    try dataset.reviewQueue(request, limit: limit).map { item in
      let number = photos.firstIndex(of: item.key.photo) ?? -1
      return "\(number) \(item.key.classKey?.text ?? "-") \(item.doubts[0].reason.rawValue)"
    }
  }

  /// Answers the first question about a photo.
  func answer(
    _ number: Int, _ decision: ReviewSession.Decision
  ) throws -> ReviewSession.Outcome {
    let item = try #require(
      try dataset.reviewQueue().first { $0.key.photo == photos[number] })
    let sitting = try dataset.startReview()
    let question = try #require(try sitting.question(item))
    return try sitting.answer(question, decision)
  }

  /// What ann says of a photo.
  func own(_ number: Int) throws -> [String] {
    try dataset.show(photos[number]).labels
      .filter { $0.annotator == Annotator(email: "ann@example.org") }
      .map { "\($0.classKey) \($0.verdict.rawValue)" }
  }

  func state(_ number: Int, _ name: String) throws -> Resolution.State? {
    try dataset.show(photos[number]).resolution.first { $0.classKey.text == name }?.state
  }
}
