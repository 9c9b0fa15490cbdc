import Cairn

extension LabelCounts {
  /// Such as `411 new labels, 100 already there, 7 changed; 3 contradict other people`.
  var text: String {
    var parts = new > 0 ? [count(new, "new label")] : []
    for (number, state) in [(known, "already there"), (changed, "changed")] where number > 0 {
      parts.append((parts.isEmpty ? count(number, "label") : "\(number)") + " \(state)")
    }
    var text = parts.isEmpty ? "no labels" : parts.joined(separator: ", ")
    if contradictions > 0 {
      text +=
        "; \(contradictions) \(contradictions == 1 ? "contradicts" : "contradict") other people"
    }
    return text
  }
}
