/// Returns the number of insertions, removals, replacements and swaps of neighboring letters needed
/// to turn one text into the other.
///
/// Source: Damerau, 1964, and Wagner and Fischer, 1974 (optimal string alignment).
package func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var (older, old): ([Int], [Int]) = ([], Array(0...b.count))
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var distance = min(old[j + 1] + 1, row[j] + 1, old[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        distance = min(distance, older[j - 1] + 1)
      }
      row.append(distance)
    }
    (older, old) = (old, row)
  }
  return old[b.count]
}
