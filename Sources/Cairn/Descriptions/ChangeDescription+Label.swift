internal import CairnBase
internal import CairnDocument
internal import CairnMerge

extension ChangeDescription {
  /// The annotator and the class of the label.
  private var label: (annotator: String, className: String) {
    let current = new ?? old
    let name = change.annotator?.identity ?? current?["annotator"]?.string ?? "somebody"
    return (name, className(current?["class"]?.string))
  }

  var deletedLabel: String {
    let (annotator, what) = label
    return "label \(what) by \(annotator) deleted (was \(old.map(verdict) ?? "nothing"))"
  }

  /// Describes a new or changed label; `fields` have changed.
  func labeled(_ fields: [Field]) -> String {
    let (annotator, what) = label
    return annotator + (new.map { " " + action($0, what, fields) } ?? "")
  }

  /// Describes a field of a label that a later version added.
  func ofLabel(_ field: Field) -> String {
    let (annotator, what) = label
    return "\(annotator) on \(what): \(generic(field))"
  }

  /// Returns what the annotator did: `labeled hemlock present (0.9)`, `withdrew the label hemlock`.
  private func action(_ new: JSON, _ what: String, _ fields: [Field]) -> String {
    let before = old.map(verdict)
    if verdict(new) == Verdict.withdrawn.rawValue {
      switch before {
      case nil: return "withdrew the label \(what)"
      case Verdict.withdrawn.rawValue?: return "withdrew the label \(what), again"
      case let verdict?: return "withdrew the label \(what) (was \(verdict))"
      }
    }
    var text = "labeled \(what) \(verdict(new))"
    if let confidence = new["confidence"], confidence != 1 {
      text += " (\(confidence.displayText))"
    }
    text += box(new["region"]).map { " in the box \($0)" } ?? ""
    text += new["text"]?.string.map { ": \($0.quoted)" } ?? ""
    text += new["run"]?.string.map { ", in run \(DocumentChange.short($0))" } ?? ""
    guard let old, let before else { return text }
    if before == Verdict.withdrawn.rawValue { return text + ", previously withdrawn" }
    let changed = Set(fields.map(\.name))
    if changed == ["stamp"] { return text + ", again" }
    let confidence = old["confidence"]?.displayText ?? "?"
    let previous = [
      changed.contains("verdict") ? before : nil,
      !changed.contains("confidence")
        ? nil : changed.contains("verdict") ? "(\(confidence))" : confidence,
      !changed.contains("region")
        ? nil : box(old["region"]).map { "in the box \($0)" } ?? "on the whole photo",
      !changed.contains("text") ? nil : old["text"]?.string.map(\.quoted) ?? "without text",
    ].compactMap { $0 }
    return previous.isEmpty ? text : text + ", previously \(previous.joined(separator: " "))"
  }

  private func verdict(_ label: JSON) -> String { label["verdict"]?.string ?? "nothing" }

  /// Formats a region the way `--region` accepts it: `0.1,0.2,0.5,0.4`, with its number of points
  /// if it has an outline.
  private func box(_ json: JSON?) -> String? {
    guard let json, !json.isNull else { return nil }
    let box = ["x", "y", "width", "height"].map { json[$0]?.displayText ?? "?" }
      .joined(separator: ",")
    guard let region = try? Region(json: json), !region.polygons.isEmpty else { return box }
    return "\(box) (outline of \(region.polygons.pointCount) points)"
  }
}
