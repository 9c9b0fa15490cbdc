import Cairn

/// The number of labels that an edit would write, and of those that are there already.
struct LabelCounts {
  let new: Int
  /// Labels that are there already, exactly as they would be written.
  let known: Int
  /// Earlier labels of the same annotator that would change.
  let changed: Int
  /// Those of the new and changed labels that contradict a label of another person.
  let contradictions: Int

  /// Counts what labeling photos would do, without doing it.
  init(
    _ photos: [PhotoID], _ classes: [String], _ assertion: LabelAssertion, in dataset: Dataset
  ) throws {
    dataset.isDryRun = true
    defer { dataset.isDryRun = false }
    let results = try dataset.label(Array(Set(photos)), classes, assertion)
    new = results.count { $0.isNew }
    known = results.count { !$0.changed }
    changed = results.count - new - known
    contradictions = results.count { $0.contradictsOthers }
  }

  /// Such as `411 new labels, 100 already there, 7 changed; 3 contradict other people`.
  var text: String {
    var text = count(new, "new label")
    if known > 0 { text += ", \(known) already there" }
    if changed > 0 { text += ", \(changed) changed" }
    if contradictions > 0 {
      text +=
        "; \(contradictions) \(contradictions == 1 ? "contradicts" : "contradict") other people"
    }
    return text
  }
}
