import CairnDocument
import CairnMerge
import Testing

@Suite("visibility of photos")
struct VisibilityTests {
  private var removed: Photo {
    var removed = photo(at(0))
    removed.removed = Register(true, at(10))
    return removed
  }

  @Test("a photo that is not deleted is in view, labeled or not")
  func visible() {
    #expect(Visibility(of: photo(), labels: []) == .visible)
    #expect(Visibility(of: photo(), labels: [label("human:a@x", at(20))]) == .visible)
    var restored = removed
    restored.removed = Register(false, at(11))
    #expect(Visibility(of: restored, labels: []) == .visible)
  }

  @Test("a person's statement after the deletion brings the photo back, one before does not")
  func restored() throws {
    let alice = try #require(Annotator("human:a@x"))
    for (stamp, verdict) in [
      (at(11), Verdict.present), (at(10, 1), .absent), (at(10, by: 2), .present),
    ] {
      let visibility = Visibility(of: removed, labels: [label("human:a@x", verdict, stamp)])
      #expect(visibility == .restored(by: alice))
      #expect(visibility.isVisible)
    }
    for stamp in [at(9), at(10), at(10, by: 0)] {
      let visibility = Visibility(of: removed, labels: [label("human:a@x", stamp)])
      #expect(visibility == .removed)
      #expect(!visibility.isVisible)
    }
  }

  @Test("a model never brings a photo back, a withdrawal neither")
  func modelsAndWithdrawals() {
    let labels = [
      label("model:m@1", confidence: 1, at(99)), label("human:a@x", .withdrawn, at(99)),
      label("human:b@x", at(5)),
    ]
    #expect(Visibility(of: removed, labels: labels) == .removed)
    #expect(Visibility(of: removed, labels: []) == .removed)
  }

  @Test("the last person to speak is the one who is named, ties by annotator")
  func named() throws {
    let bob = try #require(Annotator("human:b@x"))
    let labels = [
      label("human:c@x", at(11)), label("human:b@x", .absent, of: "oak", at(13)),
      label("human:a@x", at(13)), label("human:d@x", .withdrawn, at(20)),
      label("model:m@1", at(30)),
    ]
    for order in [labels, labels.reversed()] {
      #expect(Visibility(of: removed, labels: order) == .restored(by: bob))
    }
  }

  @Test("a second deletion, later than the statement, hides the photo again")
  func deletedAgain() {
    var again = removed
    let spoken = [label("human:a@x", at(12))]
    #expect(Visibility(of: again, labels: spoken).isVisible)
    again.removed = Register(true, at(13))
    #expect(Visibility(of: again, labels: spoken) == .removed)
  }
}
