internal import CairnDocument

extension ChangeDescription {
  /// Describes a label in one assertion, and each field added by a later version in its own.
  func labelStatements(_ fields: [Field]) -> [Assertion] {
    guard let current = new ?? old else { return [] }
    let who = annotator?.identity ?? current["annotator"]?.string ?? "somebody"
    let what = className(current["class"]?.string)
    guard let new else {
      let said = old.map(verdict) ?? "nothing"
      return [Assertion(text: "what \(who) said of \(what) is gone (\(said))", fields: fields)]
    }
    let own = fields.filter {
      ["verdict", "confidence", "region", "run", "source", "stamp", "text"].contains($0.name)
    }
    let others = fields.filter { !own.contains($0) }
    var statements = others.map {
      Assertion(text: "\(who) on \(what): \(generic($0))", fields: [$0])
    }
    if !own.isEmpty || old == nil {
      statements.insert(Assertion(text: "\(who) \(says(new, what, own))", fields: own), at: 0)
    }
    return statements
  }

  private func says(_ new: JSON, _ what: String, _ fields: [Field]) -> String {
    let before = old.map(verdict)
    if verdict(new) == Verdict.withdrawn.rawValue {
      switch before {
      case nil: return "took back what they said of \(what)"
      case Verdict.withdrawn.rawValue?: return "took back again what they said of \(what)"
      case let said?: return "took back that \(what) is \(said)"
      }
    }
    var text = "says \(what) \(verdict(new))"
    if let confidence = new["confidence"], confidence != 1 { text += " (\(confidence.words))" }
    text += place(new["region"]).map { " in the box \($0)" } ?? ""
    text += new["text"]?.string.map { ": \($0.quoted)" } ?? ""
    text += new["run"]?.string.map { ", in run \(DocumentChange.short($0))" } ?? ""
    guard let old, let before else { return text }
    if before == Verdict.withdrawn.rawValue { return text + ", had taken it back before" }
    let changed = Set(fields.map(\.name))
    if changed == ["stamp"] { return text + ", again" }
    let confidence = old["confidence"]?.words ?? "?"
    let parts = [
      changed.contains("verdict") ? before : nil,
      !changed.contains("confidence")
        ? nil : changed.contains("verdict") ? "(\(confidence))" : confidence,
      !changed.contains("region")
        ? nil : place(old["region"]).map { "in the box \($0)" } ?? "it of the whole photo",
      !changed.contains("text") ? nil : old["text"]?.string.map(\.quoted) ?? "it without words",
    ].compactMap { $0 }
    return parts.isEmpty ? text : text + ", said \(parts.joined(separator: " ")) before"
  }

  private func verdict(_ label: JSON) -> String { label["verdict"]?.string ?? "nothing" }

  /// Formats a region the way `--region` accepts it: `0.1,0.2,0.5,0.4`.
  private func place(_ region: JSON?) -> String? {
    guard let region, !region.isNull else { return nil }
    return ["x", "y", "width", "height"].map { region[$0]?.words ?? "?" }.joined(separator: ",")
  }
}
