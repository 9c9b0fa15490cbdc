import CairnDocument
import CairnReview
import Foundation
import Testing

@testable import Cairn

@Suite("Undo in reviews")
struct ReviewUndoTests {
  @Test("undoes uncommitted answers one by one, in a later session too, without a trace")
  func undo() throws {
    let scene = try ReviewScene()
    for number in 0..<3 {
      try scene.label(number, "dog", .present, model: "net@1", 0.55)
    }
    try scene.label(1, "dog", .present, by: "ann", 0.7)
    try scene.label(1, "dog", .absent, by: "bob")
    let before = try (0..<3).map { try scene.documents($0) }
    let queue = try scene.queue()
    #expect(try scene.answer(0, .other("cat")) == .decided(.other("cat")))
    #expect(try scene.answer(1, .reject) == .decided(.reject))
    #expect(try scene.answer(2, .skip) == .decided(.skip))
    #expect(try scene.queue() == [])
    let session = try scene.dataset.startReview()
    #expect(try session.undo()?.item.key.photo == scene.photos[2])
    #expect(try session.undo()?.item.key.photo == scene.photos[1])
    #expect(try scene.queue() == ["1 dog disputed", "2 dog unsure"])
    #expect(try session.undo()?.item.key.photo == scene.photos[0])
    #expect(try session.undo() == nil)
    #expect(try (0..<3).map { try scene.documents($0) } == before)
    #expect(try scene.queue() == queue)
  }

  @Test("leaves nothing to commit when the answer came after the last commit")
  func sinceCommit() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, by: "ann")
    try scene.label(0, "dog", .absent, by: "bob")
    _ = try scene.dataset.commit()
    #expect(try scene.answer(0, .reject) == .decided(.reject))
    try scene.undo()
    #expect(try scene.dataset.commit().commit == nil)
    #expect(try scene.queue() == ["0 dog disputed"])
  }

  @Test("withdraws a committed answer or restores the earlier label, and asks again")
  func committed() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    try scene.label(1, "dog", .present, by: "ann", 0.7)
    try scene.label(1, "dog", .absent, by: "bob")
    #expect(try scene.answer(0, .accept) == .decided(.accept))
    #expect(try scene.answer(1, .reject) == .decided(.reject))
    _ = try scene.dataset.commit()
    try scene.undo()
    #expect(try scene.own(1) == ["dog present"])
    try scene.undo()
    #expect(try scene.own(0) == ["dog withdrawn"])
    #expect(try scene.queue() == ["1 dog disputed", "0 dog unsure"])
    // The new labels are later than the committed ones, so they win on every device.
    _ = try scene.dataset.commit()
    #expect(try scene.queue() == ["1 dog disputed", "0 dog unsure"])
  }

  @Test("restores the states of both classes of an exclusive set")
  func exclusive() throws {
    for isCommitted in [false, true] {
      let scene = try ReviewScene()
      try scene.label(0, "dog", .present, by: "ann")
      try scene.label(0, "cat", .present, by: "ann")
      try scene.label(0, "cat", .present, by: "bob")
      try scene.label(0, "dog", .present, by: "cy")
      try scene.label(0, "dog", .present, by: "dan")
      for name in ["dog", "cat"] {
        _ = try scene.dataset.setClassSet(ClassKey(name)!, ClassKey("animal")!)
      }
      let queue = try scene.queue()
      #expect(queue == ["0 cat disputed", "0 dog disputed"])
      #expect(try scene.answer(0, .reject, about: "dog") == .decided(.reject))
      if isCommitted { _ = try scene.dataset.commit() }
      try scene.undo()
      #expect(try scene.own(0) == ["cat present", "dog present"])
      #expect(try scene.state(0, "cat") == .disputed && scene.state(0, "dog") == .disputed)
      // The undo answers no question that ann had not answered before.
      #expect(try scene.queue() == queue)
    }
  }

  @Test("removes a restored photo again, unless somebody has labeled it since")
  func restored() throws {
    for isCommitted in [false, true] {
      let scene = try ReviewScene()
      try scene.label(5, "dog", .present, by: "bob", replica: 7)
      try scene.label(5, "dog", .present, by: "cy")
      try scene.remove(5)
      let before = try (scene.documents(5), scene.dataset.reviewQueue())
      #expect(before.1.map(\.reasons[0].reason) == [.removed])
      #expect(try scene.answer(5, .accept) == .decided(.accept))
      if isCommitted { _ = try scene.dataset.commit() }
      try scene.undo()
      #expect(try !scene.dataset.show(scene.photos[5]).visibility.isVisible)
      #expect(try scene.dataset.reviewQueue() == before.1)
      if !isCommitted { #expect(try scene.documents(5) == before.0) }
      #expect(try scene.answer(5, .accept) == .decided(.accept))
      _ = try scene.dataset.commit()
      try scene.label(5, "dog", .present, by: "dan")
      #expect(try #require(try scene.undo()).outcome == nil)
      #expect(try scene.dataset.show(scene.photos[5]).visibility.isVisible)
    }
  }

  @Test("leaves all labels of an answer unchanged, and says so, if one was edited since")
  func undoneTooLate() throws {
    let scene = try ReviewScene()
    try scene.label(0, "dog", .present, model: "net@1", 0.55)
    #expect(try scene.answer(0, .other("cat")) == .decided(.other("cat")))
    _ = try scene.dataset.label([scene.photos[0]], ["cat"], LabelAssertion(.absent))
    #expect(try #require(try scene.undo()).outcome == nil)
    #expect(try scene.own(0) == ["cat absent", "dog absent"])
  }

  @Test("repeats a question about a rare class in a later session, with its reason")
  func rare() throws {
    let scene = try ReviewScene()
    try scene.label(4, "dog", .present, model: "net@1", 0.95)
    #expect(try scene.queue() == ["4 dog rare"])
    #expect(try scene.answer(4, .accept) == .decided(.accept))
    let session = try scene.dataset.startReview()
    let item = try #require(try session.undo()?.item)
    #expect(try session.question(item)?.item.reasons.map(\.reason) == [.rare])
  }

  @Test("undoes favorites like other labels")
  func favorites() throws {
    let scene = try ReviewScene()
    let session = try scene.dataset.startReview()
    #expect(try session.toggleFavorite(scene.photos[0]))
    #expect(try scene.own(0) == ["favorite present"])
    #expect(try !session.toggleFavorite(scene.photos[0]))
    #expect(try scene.own(0) == ["favorite withdrawn"])
    _ = try session.undo()
    #expect(try scene.own(0) == ["favorite present"])
    _ = try session.undo()
    #expect(try scene.own(0) == [])
  }

  @Test("treats favorites under several addresses of one person as one")
  func favoriteAddresses() throws {
    let scene = try ReviewScene()
    try scene.mail("Ann <ann@example.org> <old@example.org>\n")
    try scene.label(0, "favorite", .present, by: "old")
    try scene.label(0, "favorite", .present, by: "bob")
    let before = try scene.documents(0)
    let session = try scene.dataset.startReview()
    #expect(try !session.toggleFavorite(scene.photos[0]))
    #expect(try scene.dataset.find(PhotoQuery("is:favorite")) == [])
    #expect(try scene.own(0) == [])
    _ = try session.undo()
    #expect(try scene.documents(0) == before)
    #expect(try !session.toggleFavorite(scene.photos[0]))
    #expect(try session.toggleFavorite(scene.photos[0]))
    #expect(try scene.dataset.find(PhotoQuery("is:favorite")) == [scene.photos[0]])
  }
}
