import Cairn

/// What an edit did to photos.
struct PhotoEdits {
  /// The result for a photo that changed: `removed`.
  let done: String
  /// The result for one that did not: `already removed`.
  let unchanged: String
  let edits: [(id: PhotoID, changed: Bool)]

  /// The number of photos that are printed one by one.
  private static let listed = 20

  /// Prints a line for each photo or, for many, one line of totals.
  func print() {
    if edits.count > PhotoEdits.listed { return printTotals() }
    for (id, changed) in edits { Console.print("\(id.short): \(changed ? done : unchanged)") }
  }

  private func printTotals() {
    let changed = edits.count(where: \.changed)
    let rest = edits.count - changed
    Console.print(
      "\(done): \(count(changed, "photo"))" + (rest == 0 ? "" : ", \(rest) \(unchanged)"))
  }
}
