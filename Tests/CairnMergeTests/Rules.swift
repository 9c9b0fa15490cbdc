import CairnDocument
import CairnMerge

/// A class called as its key, with what was edited of it.
func labelClass(
  _ key: String, aliasOf alias: String? = nil, set: String? = nil, name: String? = nil
) -> LabelClass {
  var labelClass = LabelClass(key: ClassKey(key)!, name: name ?? key, stamp: at(0))
  if let alias { labelClass.aliasOf = Register(ClassKey(alias), at(1)) }
  if let set { labelClass.set = Register(ClassKey(set), at(1)) }
  return labelClass
}

/// A model's label of a run.
func label(
  _ annotator: String, of classKey: String, run: RunID, confidence: Double = 1, _ stamp: Stamp
) -> Label {
  var label = label(annotator, of: classKey, confidence: confidence, stamp)
  label.run = run
  return label
}

extension ResolutionRules {
  /// Returns what becomes of labels by class, whichever order they come in.
  func explain(shuffling labels: [Label]) -> [String: Resolution] {
    let explained = explain(labels)
    var random = SeededGenerator(UInt64(labels.count))
    for _ in 0..<4 {
      precondition(explain(labels.shuffled(using: &random)) == explained, "the order matters")
    }
    return Dictionary(uniqueKeysWithValues: explained.map { ($0.classKey.text, $0) })
  }
}

extension Resolution {
  /// `alice@x: counted`, a line a label.
  var standings: [String] { evidence.map { "\($0.annotator.identity): \($0.standing.code)" } }

  /// Why the labels counted or did not.
  var reasons: [String] { evidence.map(\.because) }
}
