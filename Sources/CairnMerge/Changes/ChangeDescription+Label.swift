internal import CairnDocument

extension ChangeDescription {
  /// Describes a label in one assertion, and each field added by a later version in its own.
  func labelAssertions(_ fields: [Field]) -> [Assertion] {
    guard let current = new ?? old else { return [] }
    let who = annotator?.identity ?? current["annotator"]?.string ?? "somebody"
    let what = className(current["class"]?.string)
    guard let new else {
      let before = old.map(verdict) ?? "nothing"
      let text = "label \(what) by \(who) deleted (was \(before))"
      return [Assertion(text: text, fields: fields)]
    }
    let own = fields.filter {
      ["verdict", "confidence", "region", "run", "source", "stamp", "text"].contains($0.name)
    }
    let others = fields.filter { !own.contains($0) }
    var assertions = others.map {
      Assertion(text: "\(who) on \(what): \(generic($0))", fields: [$0])
    }
    if !own.isEmpty || old == nil {
      assertions.insert(Assertion(text: "\(who) \(action(new, what, own))", fields: own), at: 0)
    }
    return assertions
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

  /// Formats a region the way `--region` accepts it: `0.1,0.2,0.5,0.4`.
  private func box(_ region: JSON?) -> String? {
    guard let region, !region.isNull else { return nil }
    return ["x", "y", "width", "height"].map { region[$0]?.displayText ?? "?" }
      .joined(separator: ",")
  }
}
