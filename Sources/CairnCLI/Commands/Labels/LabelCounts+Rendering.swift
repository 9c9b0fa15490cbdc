import Cairn

extension LabelCounts {
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
