internal import CairnDocument
package import CairnMerge

extension ResolutionRules {
  /// Returns the reason that a label counted or not, as text.
  ///
  /// Computed on demand: a list of many photos does not need it.
  package func reason(_ evidence: Evidence) -> String {
    let label = evidence.label
    switch evidence.status {
    case .counted: return "counts"
    case .outvoted: return "counts, but is outvoted"
    case .notLatest(let last):
      return "does not decide: \(last.identity) labeled it later, and the latest label decides"
    case .withdrawn: return "withdrawn"
    case .runWithdrawn(let run): return "does not count: its run \(run.text.prefix(8)) is withdrawn"
    case .superseded(let last): return "superseded: \(later(last, than: label))"
    case .olderVersion(let newer): return "does not count: \(newer.identity) labeled it later"
    case .overruled: return "does not count: people's labels take precedence"
    case .absence: return "does not count: only a person can reject a class"
    case .belowThreshold(let threshold):
      return "does not count: below the threshold of \(threshold)"
    case .secondChoice(let best):
      return "does not count: it is more confident in \(name(best)) (\(best.exactConfidence.text))"
        + onlyOne(label)
    case .lessConfident(let best):
      return "does not count: \(best.annotator.identity) is more confident in \(name(best)) "
        + "(\(best.exactConfidence.text))" + onlyOne(label)
    }
  }

  private func later(_ last: Label, than label: Label) -> String {
    let isOther =
      classes.canonicalKey(of: last.classKey) != classes.canonicalKey(of: label.classKey)
    var text =
      isOther
      ? "labeled \(name(last))"
      : last.verdict == .withdrawn ? "withdrawn" : "labeled \(last.verdict.rawValue)"
    if !isOther, last.classKey != label.classKey { text += " as “\(last.classKey)”" }
    if !isOther, label.region != nil, last.region == nil { text += " on the whole photo" }
    text += " later"
    if last.annotator != label.annotator { text += " as \(last.annotator.identity)" }
    return isOther ? text + onlyOne(label) : text
  }

  private func name(_ label: Label) -> String {
    classes.name(of: classes.canonicalKey(of: label.classKey))
  }

  private func onlyOne(_ label: Label) -> String {
    classes.set(of: label.classKey).map { ", and classes of “\($0)” exclude each other" } ?? ""
  }
}
