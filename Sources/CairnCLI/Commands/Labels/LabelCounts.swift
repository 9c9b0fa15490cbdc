import Cairn

/// The number of labels that an edit would write, and of those that are there already.
struct LabelCounts {
  let new: Int
  /// Labels that are there already, exactly as they would be written.
  let known: Int
  /// Earlier labels of the same annotator that would change.
  let changed: Int

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
  }

  /// Such as `411 new labels, 100 already there, 7 changed`.
  var text: String {
    count(new, "new label") + (known == 0 ? "" : ", \(known) already there")
      + (changed == 0 ? "" : ", \(changed) changed")
  }
}
