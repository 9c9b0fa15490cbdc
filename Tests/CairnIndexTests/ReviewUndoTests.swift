import CairnDocument
import CairnReview
import Foundation
import Testing

@testable import Cairn

@Suite("Taking back in a review")
struct ReviewUndoTests {
  @Test("one after the other, after a break too; what was not committed leaves no trace")
  func undo() throws {
    let place = try ReviewScene()
    for number in 0..<3 {
      try place.say(number, "dog", .present, model: "net@1", 0.55)
    }
    try place.say(1, "dog", .present, by: "ann", 0.7)
    try place.say(1, "dog", .absent, by: "bob")
    let before = try (0..<3).map { try place.documents($0) }
    let queue = try place.queue()
    #expect(try place.answer(0, .other("cat")) == .decided(.other("cat")))
    #expect(try place.answer(1, .reject) == .decided(.reject))
    #expect(try place.answer(2, .skip) == .decided(.skip))
    #expect(try place.queue() == [])
    let sitting = try place.dataset.startReview()
    #expect(try sitting.undo()?.item.key.photo == place.photos[2])
    #expect(try sitting.undo()?.item.key.photo == place.photos[1])
    #expect(try place.queue() == ["1 dog disputed", "2 dog unsure"])
    #expect(try sitting.undo()?.item.key.photo == place.photos[0])
    #expect(try sitting.undo() == nil)
    #expect(try (0..<3).map { try place.documents($0) } == before)
    #expect(try place.queue() == queue)
  }

  @Test("committed before, it is the last commit again, and there is nothing to commit")
  func sinceCommit() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, by: "ann")
    try place.say(0, "dog", .absent, by: "bob")
    _ = try place.dataset.commit()
    #expect(try place.answer(0, .reject) == .decided(.reject))
    try place.undo()
    #expect(try place.dataset.commit().commit == nil)
    #expect(try place.queue() == ["0 dog disputed"])
  }

  @Test(
    "a committed answer is withdrawn, or what was there is said again: the question is open again")
  func committed() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    try place.say(1, "dog", .present, by: "ann", 0.7)
    try place.say(1, "dog", .absent, by: "bob")
    #expect(try place.answer(0, .accept) == .decided(.accept))
    #expect(try place.answer(1, .reject) == .decided(.reject))
    _ = try place.dataset.commit()
    try place.undo()
    #expect(try place.own(1) == ["dog present"])
    try place.undo()
    #expect(try place.own(0) == ["dog withdrawn"])
    #expect(try place.queue() == ["1 dog disputed", "0 dog unsure"])
    // It is later than what is committed, so it stands everywhere.
    _ = try place.dataset.commit()
    #expect(try place.queue() == ["1 dog disputed", "0 dog unsure"])
  }

  @Test("of an exclusive set the class that one named last stands again")
  func exclusive() throws {
    for isCommitted in [false, true] {
      let place = try ReviewScene()
      try place.say(0, "dog", .present, by: "ann")
      try place.say(0, "cat", .present, by: "ann")
      try place.say(0, "cat", .present, by: "bob")
      try place.say(0, "dog", .present, by: "cy")
      try place.say(0, "dog", .present, by: "dan")
      for name in ["dog", "cat"] {
        _ = try place.dataset.setClassSet(ClassKey(name)!, ClassKey("animal")!)
      }
      let queue = try place.queue()
      #expect(queue == ["0 cat disputed", "0 dog disputed"])
      #expect(try place.answer(0, .reject, about: "dog") == .decided(.reject))
      if isCommitted { _ = try place.dataset.commit() }
      try place.undo()
      #expect(try place.own(0) == ["cat present", "dog present"])
      #expect(try place.state(0, "cat") == .disputed && place.state(0, "dog") == .disputed)
      // What ann had not ruled on before, the undo did not rule on.
      #expect(try place.queue() == queue)
    }
  }

  @Test("a photo that was brought back is removed as it was, unless somebody spoke of it since")
  func restored() throws {
    for isCommitted in [false, true] {
      let place = try ReviewScene()
      try place.say(5, "dog", .present, by: "bob", replica: 7)
      try place.say(5, "dog", .present, by: "cy")
      try place.remove(5)
      let before = try (place.documents(5), place.dataset.reviewQueue())
      #expect(before.1.map(\.doubts[0].reason) == [.removed])
      #expect(try place.answer(5, .accept) == .decided(.accept))
      if isCommitted { _ = try place.dataset.commit() }
      try place.undo()
      #expect(try !place.dataset.show(place.photos[5]).visibility.isVisible)
      #expect(try place.dataset.reviewQueue() == before.1)
      if !isCommitted { #expect(try place.documents(5) == before.0) }
      #expect(try place.answer(5, .accept) == .decided(.accept))
      _ = try place.dataset.commit()
      try place.say(5, "dog", .present, by: "dan")
      #expect(try place.undo()?.words.contains("left as it is") == true)
      #expect(try place.dataset.show(place.photos[5]).visibility.isVisible)
    }
  }

  @Test("what was changed since is left, all that the answer wrote with it, and that is said")
  func undoneTooLate() throws {
    let place = try ReviewScene()
    try place.say(0, "dog", .present, model: "net@1", 0.55)
    #expect(try place.answer(0, .other("cat")) == .decided(.other("cat")))
    _ = try place.dataset.label([place.photos[0]], ["cat"], LabelAssertion(.absent))
    #expect(try place.undo()?.words.contains("left as it is") == true)
    #expect(try place.own(0) == ["cat absent", "dog absent"])
  }

  @Test("a question of few examples is asked again in a later session, with its reason")
  func rare() throws {
    let place = try ReviewScene()
    try place.say(4, "dog", .present, model: "net@1", 0.95)
    #expect(try place.queue() == ["4 dog rare"])
    #expect(try place.answer(4, .accept) == .decided(.accept))
    let sitting = try place.dataset.startReview()
    let item = try #require(try sitting.undo()?.item)
    #expect(try sitting.question(item)?.item.doubts.map(\.reason) == [.rare])
  }

  @Test("a favorite is a label of one's own, and taken back as any")
  func favorites() throws {
    let place = try ReviewScene()
    let sitting = try place.dataset.startReview()
    #expect(try sitting.toggleFavorite(place.photos[0]))
    #expect(try place.own(0) == ["favorite present"])
    #expect(try !sitting.toggleFavorite(place.photos[0]))
    #expect(try place.own(0) == ["favorite withdrawn"])
    _ = try sitting.undo()
    #expect(try place.own(0) == ["favorite present"])
    _ = try sitting.undo()
    #expect(try place.own(0) == [])
  }

  @Test("a favorite under another address of one's own is the same favorite")
  func favoriteAddresses() throws {
    let place = try ReviewScene()
    try place.mail("Ann <ann@example.org> <old@example.org>\n")
    try place.say(0, "favorite", .present, by: "old")
    try place.say(0, "favorite", .present, by: "bob")
    let before = try place.documents(0)
    let sitting = try place.dataset.startReview()
    #expect(try !sitting.toggleFavorite(place.photos[0]))
    #expect(try place.dataset.find(PhotoQuery("is:favorite")) == [])
    #expect(try place.own(0) == [])
    _ = try sitting.undo()
    #expect(try place.documents(0) == before)
    #expect(try !sitting.toggleFavorite(place.photos[0]))
    #expect(try sitting.toggleFavorite(place.photos[0]))
    #expect(try place.dataset.find(PhotoQuery("is:favorite")) == [place.photos[0]])
  }
}
