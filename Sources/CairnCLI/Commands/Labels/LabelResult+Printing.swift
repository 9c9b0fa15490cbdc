import Cairn

extension [LabelResult] {
  /// - Parameters:
  ///   - skipped: The photos without a result; only photos that were named one by one are printed.
  ///   - reason: Why they were skipped: `oak: not labeled`.
  func print(_ globals: GlobalOptions, skipped: [PhotoID] = [], reason: String = "") {
    Console.printChange(globals, rendered) {
      defer { print(skipped, reason) }
      if count > LabelResult.listed { return printTotals() }
      for result in self {
        let label = result.label
        let text = "\(label.photo.short) \(result.className) \(label.verdict.rawValue)"
        Console.print(
          result.changed ? "\(text), by \(label.annotator.identity)" : "\(text): already labeled")
      }
    }
  }

  /// Prints one line for each class instead of one for each label.
  private func printTotals() {
    let groups = Dictionary(grouping: self) { "\($0.className) \($0.label.verdict.rawValue)" }
    for (text, results) in groups.sorted(by: { $0.key < $1.key }) {
      let changed = Set(results.filter(\.changed).map(\.label.photo))
      let known = Set(results.map(\.label.photo)).subtracting(changed).count
      let rest = known == 0 ? "" : ", \(known) already labeled"
      Console.print("\(text): \(CairnCLI.count(changed.count, "photo"))\(rest)")
    }
  }

  private func print(_ skipped: [PhotoID], _ reason: String) {
    if skipped.count > LabelResult.listed {
      return Console.print("\(reason): \(CairnCLI.count(skipped.count, "photo"))")
    }
    for photo in skipped { Console.print("\(photo.short) \(reason)") }
  }
}

extension LabelResult {
  /// The number of labels that are printed one by one.
  fileprivate static let listed = 20
}
