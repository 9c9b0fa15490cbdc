internal import CairnDocument

extension [VerdictChange] {
  /// The changes as a sentence: “This would change 107 of your earlier verdicts on “oak” from
  /// absent to present.” Nil if there are none.
  public var sentence: String? {
    let counts = Dictionary(grouping: self) {
      "on “\($0.className)” from \($0.before.rawValue) to \($0.after.rawValue)"
    }.mapValues(\.count)
    let start = "This would change \(count) of your earlier verdicts"
    if counts.count == 1 { return "\(start) \(counts.keys.joined())." }
    let parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }
    return isEmpty ? nil : "\(start): \(parts.joined(separator: ", "))."
  }
}
