internal import CairnMerge

extension PullSummary.MergedDocument {
  /// The document and the changes of both sides; nil if they differ only in their stamps.
  public var text: String? {
    let parts = [
      text(here).map { "\($0) (theirs is later)" },
      overridden.flatMap(text).map { "\($0) (ours is later)" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "\(here.subject): \(parts.joined(separator: "; "))"
  }

  private func text(_ change: DocumentChange) -> String? {
    let assertions = change.assertions.filter { assertion in
      assertion.fields.contains { !$0.name.hasSuffix("stamp") }
    }
    return assertions.isEmpty
      ? nil : assertions.map { change.text(of: $0) }.joined(separator: "; ")
  }
}
