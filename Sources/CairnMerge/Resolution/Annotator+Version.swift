import CairnDocument

extension Annotator {
  /// Returns whether this model's version sorts before another's, comparing numbers by value: `9`
  /// before `10`, `2026-09` before `2026-11`.
  func versionPrecedes(_ other: Annotator) -> Bool {
    var (mine, theirs) = (Annotator.parts(of: self)[...], Annotator.parts(of: other)[...])
    while let a = mine.popFirst(), let b = theirs.popFirst() {
      if a == b { continue }
      let (x, y) = (a.drop { $0 == "0" }, b.drop { $0 == "0" })
      guard a.first?.isNumber == true, b.first?.isNumber == true, x != y else {
        return a.lexicographicallyPrecedes(b)
      }
      return x.count == y.count ? x.lexicographicallyPrecedes(y) : x.count < y.count
    }
    return mine.isEmpty && !theirs.isEmpty
  }

  /// Returns the version split into runs of digits and of other characters.
  private static func parts(of annotator: Annotator) -> [[Character]] {
    var parts: [[Character]] = []
    for character in annotator.model?.version ?? "" {
      if let last = parts.last?.last, last.isNumber == character.isNumber {
        parts[parts.count - 1].append(character)
      } else {
        parts.append([character])
      }
    }
    return parts
  }
}
