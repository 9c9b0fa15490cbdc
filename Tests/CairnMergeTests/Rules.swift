import CairnDocument
import CairnMerge
import TestSupport

/// Returns a class named after its key, with some edits.
func labelClass(
  _ key: String, aliasOf alias: String? = nil, set: String? = nil, name: String? = nil
) -> LabelClass {
  var labelClass = LabelClass(key: ClassKey(key)!, name: name ?? key, stamp: at(0))
  if let alias { labelClass.aliasOf = Register(ClassKey(alias), at(1)) }
  if let set { labelClass.set = Register(ClassKey(set), at(1)) }
  return labelClass
}

/// Returns a model's label that belongs to a run.
func label(
  _ annotator: String, of classKey: String, run: RunID, confidence: Double = 1, _ stamp: Stamp
) -> Label {
  var label = label(annotator, of: classKey, confidence: confidence, stamp)
  label.run = run
  return label
}

extension Resolution {
  /// `alice@x: counted`, one for each label.
  var statuses: [String] { evidence.map { "\($0.annotator.identity): \($0.status.code)" } }
}

func people(_ names: String...) -> [Annotator] { names.map { Annotator(email: $0 + "@x")! } }

/// Returns people who name a class called after its key instead of another one.
func alternative(_ key: String, _ names: String...) -> VoteSides.Alternative {
  VoteSides.Alternative(
    ClassKey(key)!, name: key, people: names.map { Annotator(email: $0 + "@x")! })
}

extension ResolutionRules {
  /// Returns the resolutions by class, and checks that the order of the labels does not matter.
  func explain(shuffling labels: [Label]) -> [String: Resolution] {
    let explained = explain(labels)
    var random = SeededGenerator(UInt64(labels.count))
    for _ in 0..<4 {
      precondition(explain(labels.shuffled(using: &random)) == explained, "the order matters")
    }
    return Dictionary(uniqueKeysWithValues: explained.map { ($0.classKey.text, $0) })
  }
}
