import Cairn
import CairnDocument
import CairnMerge
import CairnReview
import Testing

@Suite("Descriptions of reviews")
struct ReviewDescriptionTests {
  private func prediction(
    _ model: String, _ className: String, _ confidence: Double
  ) -> ModelPrediction {
    ModelPrediction(
      Annotator(model: model)!, className, confidence: JSONNumber(confidence))
  }

  private func person(_ name: String) -> Annotator { Annotator(email: name + "@x.org")! }

  @Test("describes why an item is asked")
  func details() {
    let beagle = prediction("net@1", "beagle", 0.9)
    let sides = VoteSides(present: [person("ann")], absent: [person("bob")])
    let contradictions: [ModelContradiction] = [
      .absent(Annotator(model: "vit@1")!), .other(prediction("old@1", "poodle", 0.7)),
    ]
    let all: [ReviewReasonDetail] = [
      .disputed(.tie(sides)),
      .nearThreshold(prediction("net@1", "dog", 0.45), threshold: 0.5),
      .undecided(beagle, second: prediction("net@1", "poodle", 0.85)),
      .contradicted(beagle, by: contradictions), .removed(labeledBy: [person("ann")]),
      .duplicate(className: "dog", confirmedOn: photoID, isRejectedHere: false),
      .duplicate(className: "dog", confirmedOn: photoID, isRejectedHere: true),
      .suspect(beagle), .rare(className: "dog", examples: 0), .rare(className: "dog", examples: 1),
      .rare(className: "dog", examples: 9), .logged(.rare, text: "few have it"),
    ]
    #expect(
      all.map(\.text) == [
        "ann@x.org and bob@x.org disagree",
        "net@1 predicts “dog” with confidence 0.45 (threshold 0.5)",
        "net@1 predicts “beagle” with confidence 0.9 and “poodle” with 0.85",
        "net@1 predicts “beagle” with confidence 0.9; vit@1 labels it absent; "
          + "old@1 predicts “poodle” with confidence 0.7",
        "the photo was removed, and ann@x.org had labeled it on another device; these labels are "
          + "hidden now",
        "“dog” is confirmed on 2a2a2a2a2a2a, which looks the same",
        "“dog” is confirmed on 2a2a2a2a2a2a, which looks the same, and rejected on this photo",
        "net@1, trained without this photo, predicts “beagle” with confidence 0.9",
        "“dog” is confirmed on no photo", "“dog” is confirmed on only one photo",
        "“dog” is confirmed on only 9 photos", "few have it",
      ])
  }

  @Test("describes the outcome of an answer or an undo")
  func messages() throws {
    let resolution = try #require(
      ResolutionRules().resolve([label("human:bob@x", .absent)]).first)
    let all: [ReviewMessage] = [
      .alreadyDecided(nil), .alreadyDecided(resolution), .changed, .noOtherClass,
      .undone(.asBefore), .undone(.previousWithdrawn), .undone(.statusChanged), .undone(nil),
      .text("no space"),
    ]
    #expect(
      all.map(\.text) == [
        "Already resolved by someone else. Nothing was written.",
        "Already resolved by someone else: “hemlock” is rejected, labeled absent by bob@x. "
          + "Nothing was written.",
        "Somebody labeled it in the meantime. Nothing was written; please check again.",
        "This is about the whole photo: accept restores it, reject leaves it removed.",
        "Undone.",
        "Undone. Your earlier label had been overridden by a later one and is now withdrawn.",
        "Undone. Your earlier label is restored and now counts as the latest.",
        "Not undone: it has changed since then.", "no space",
      ])
  }
}
