import CairnDocument
import CairnReview
import CairnSync
import Foundation
import Testing

@testable import Cairn

@Suite("Reviews of unlabeled photos")
struct UnlabeledReviewTests {
  @Test("suggests what models predict first, then the classes of the latest answers")
  func suggestions() throws {
    let scene = try ReviewScene()
    for number in 1..<4 { try scene.label(number, "oak", .present, by: "bob") }
    try scene.label(4, "elm", .present, by: "bob")
    try scene.label(5, "ash", .present, by: "bob")
    try scene.label(0, "ash", .present, model: "net@1", 0.2)
    let review = try scene.dataset.startReview()
    var suggestions = try ClassSuggestions(scene.dataset)
    let question = try #require(try review.unlabeled(scene.photos[0]))
    func names() throws -> [String] {
      try suggestions.options(forUnlabeled: question).map(\.classKey.text)
    }
    #expect(try names() == ["ash", "oak", "elm"])
    try suggestions.note(try #require(ClassKey("elm")))
    #expect(try names() == ["ash", "elm", "oak"])
  }

  @Test("labels an unlabeled photo, undoes the answer, and leaves photos labeled meanwhile alone")
  func answers() throws {
    let scene = try ReviewScene()
    let query = try PhotoQuery("is:unlabeled")
    #expect(query.isOfUnlabeled)
    #expect(try PhotoQuery("camera:x AND (is:unlabeled)").isOfUnlabeled)
    #expect(try !PhotoQuery("is:unlabeled OR label:oak").isOfUnlabeled)
    #expect(try !PhotoQuery("-is:unlabeled").isOfUnlabeled)
    let review = try scene.dataset.startReview()
    #expect(try review.label(scene.photos[0], as: "oak") == ClassKey("oak"))
    #expect(try scene.own(0) == ["oak present"])
    #expect(try review.label(scene.photos[0], as: "elm") == nil)
    #expect(try scene.dataset.unlabeledPhotos(query).count == 9)
    #expect(try review.undo()?.item.key.photo == scene.photos[0])
    #expect(try scene.own(0) == [])
    #expect(try scene.dataset.unlabeledPhotos(query).count == 10)
  }

  @Test("neither asks about nor labels a photo whose metadata was erased")
  func erased() throws {
    let scene = try ReviewScene()
    let (dataset, photo) = (scene.dataset, scene.photos[0])
    try dataset.commit()
    try dataset.edit("erase") { session in
      _ = try dataset.replica.erase(.metadata, of: [photo], reason: "asked", session: session)
    }
    let review = try dataset.startReview()
    #expect(try review.unlabeled(photo) == nil && review.label(photo, as: "oak") == nil)
    #expect { try review.toggleFavorite(photo) } throws: { ($0 as? CairnError)?.kind == .erased }
    #expect(try scene.own(0) == [] && review.answers.isEmpty)
    #expect(try review.label(scene.photos[1], as: "oak") == ClassKey("oak"))
  }

  @Test("asks about what a model predicts until people have decided it")
  func uncertain() throws {
    let scene = try ReviewScene()
    let review = try scene.dataset.startReview()
    let keys = try ["dog", "cat"].map { try #require(ClassKey($0)) }
    func isAsked(_ number: Int, in set: ClassKey?) throws -> Bool {
      let photos = UncertainPhotos(
        model: try #require(Annotator(model: "net@1")), photos: scene.photos, rest: 0,
        missingImages: 0, subject: UncertainSubject(classes: keys.map { ($0, set) }))
      return try review.unlabeled(scene.photos[number], of: photos) != nil
    }
    // A prediction and a label of another class decide nothing.
    try scene.label(0, "dog", .present, model: "net@1", 0.9)
    try scene.label(0, "red", .present, by: "bob")
    #expect(try isAsked(0, in: nil) && review.unlabeled(scene.photos[0]) == nil)
    // An answer names one class: of classes that do not exclude each other, it decides no more.
    try scene.label(0, "dog", .present, by: "bob")
    #expect(try !isAsked(0, in: nil))
    let set = try #require(ClassKey("animal"))
    try scene.label(1, "cat", .absent, by: "bob")
    for key in keys { _ = try scene.dataset.setClassSet(key, set) }
    #expect(try isAsked(1, in: set))
    try scene.label(1, "dog", .present, by: "bob")
    #expect(try !isAsked(1, in: set))
    // The answer is refused, too.
    try scene.label(2, "dog", .present, by: "bob")
    let photos = UncertainPhotos(
      model: try #require(Annotator(model: "net@1")), photos: scene.photos, rest: 0,
      missingImages: 0, subject: UncertainSubject(classes: keys.map { ($0, set) }))
    #expect(try review.label(scene.photos[2], as: "cat", of: photos) == nil)
    #expect(try review.label(scene.photos[3], as: "cat", of: photos) == keys[1])
  }

  @Test("asks about an exclusive set once for each photo, with its classes as options")
  func sets() throws {
    let scene = try ReviewScene()
    for number in 0..<2 {
      try scene.label(number, "dog", .present, by: "bob")
      try scene.label(number, "cat", .present, by: "cy")
    }
    try scene.label(3, "fox", .present, by: "bob")
    try scene.label(0, "red", .present, by: "bob")
    try scene.label(0, "red", .absent, by: "cy")
    for name in ["dog", "cat", "fox"] {
      _ = try scene.dataset.setClassSet(
        #require(ClassKey(name)), ClassKey("animal")!)
    }
    let suggestions = try ClassSuggestions(scene.dataset)
    let all = try scene.dataset.reviewQueue()
    let items = suggestions.askingSetsOnce(all)
    let inSet = items.filter { $0.key.classKey != ClassKey("red") }
    #expect(Set(inSet.map(\.key.photo)).count == inSet.count && !inSet.isEmpty)
    #expect(items.count == inSet.count + 1 && items.count < all.count)
    let review = try scene.dataset.startReview()
    let question = try #require(try review.question(inSet[0]))
    let options = suggestions.options(for: question)
    #expect(Set(options.map(\.classKey.text)) == ["dog", "cat", "fox"])
  }

  @Test("confirms the predictions with at least the given confidence")
  func predictions() throws {
    let scene = try ReviewScene()
    try scene.label(0, "oak", .present, model: "net@1", 0.95)
    try scene.label(1, "oak", .present, model: "net@1", 0.91)
    try scene.label(2, "oak", .present, model: "net@1", 0.7)
    try scene.label(3, "elm", .present, model: "net@1", 0.99)
    try scene.label(4, "oak", .present, model: "net@1", 0.99)
    try scene.label(4, "oak", .absent, by: "ann")
    let found = try scene.dataset.predictedClasses(nil, className: nil, from: 0.9)
    #expect(found.map { "\($0.name) \($0.confidence)" } == ["elm 0.99", "oak 0.95", "oak 0.91"])
    let oaks = try scene.dataset.predictedClasses(nil, className: "oak", from: 0.92)
    #expect(try scene.dataset.confirm(oaks) == 1)
    #expect(try scene.state(0, "oak") == .confirmed && scene.state(1, "oak") == .predicted)
  }

  @Test("leaves predictions alone that somebody labeled or withdrew since they were listed")
  func labeledMeanwhile() throws {
    let scene = try ReviewScene()
    for number in 0..<4 { try scene.label(number, "oak", .present, model: "net@1", 0.95) }
    let found = try scene.dataset.predictedClasses(nil, className: nil, from: 0.9)
    try scene.label(0, "oak", .absent, by: "ann")
    try scene.label(1, "oak", .absent, by: "bob")
    try scene.label(2, "oak", .withdrawn, model: "net@1")
    #expect(found.count == 4)
    #expect(try scene.dataset.confirm(found) == 1)
    #expect(try scene.state(0, "oak") == .rejected && scene.state(1, "oak") == .rejected)
    #expect(try scene.own(2).isEmpty && scene.own(3) == ["oak present"])
  }
}
