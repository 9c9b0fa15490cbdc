import CairnDocument
import CairnMerge
import Testing

@Suite("Photo visibility")
struct VisibilityTests {
  private var removed: Photo {
    var removed = photo(at(0))
    removed.removed = Register(true, at(10))
    return removed
  }

  @Test("shows a photo that is not removed, labeled or not")
  func visible() {
    #expect(Visibility(of: photo(), labels: []) == .visible)
    #expect(Visibility(of: photo(), labels: [label("human:a@x", at(20))]) == .visible)
    var restored = removed
    restored.removed = Register(false, at(11))
    #expect(Visibility(of: restored, labels: []) == .visible)
  }

  @Test("restores a removed photo when a person labels it later, not earlier")
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

  @Test("never restores a photo for a model's or a withdrawn label")
  func modelsAndWithdrawals() {
    let labels = [
      label("model:m@1", confidence: 1, at(99)), label("human:a@x", .withdrawn, at(99)),
      label("human:b@x", at(5)),
    ]
    #expect(Visibility(of: removed, labels: labels) == .removed)
    #expect(Visibility(of: removed, labels: []) == .removed)
  }

  @Test("names the last person who labeled the photo, ties by annotator")
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

  @Test("hides the photo again when it is removed after the label")
  func deletedAgain() {
    var again = removed
    let labels = [label("human:a@x", at(12))]
    #expect(Visibility(of: again, labels: labels).isVisible)
    again.removed = Register(true, at(13))
    #expect(Visibility(of: again, labels: labels) == .removed)
  }
}
