import Cairn

extension Pin {
  /// Prints the pin in a line that begins with `action`, such as “Added pin”.
  func printLine(_ action: String) {
    let coordinate = location.value
    Console.print("\(action) \(title) at \(coordinate.latitude), \(coordinate.longitude).")
  }

  /// Prints the pin after an edit, or what a dry run found.
  ///
  /// - Parameters:
  ///   - done: What was done, such as “Moved pin”.
  ///   - would: What would be done, such as “move pin”.
  ///   - end: What follows the name of the pin in a dry run, such as ` to 1.0, 2.0`.
  func print(
    _ done: String, would: String, end: String = "", in dataset: Dataset, _ dryRun: DryRunOption,
    _ globals: GlobalOptions
  ) throws {
    guard dryRun.isOn else {
      return Console.printChange(globals, rendered()) { printLine(done) }
    }
    let photos = try dataset.photoCounts()[id] ?? 0
    let use = "\(count(photos, "photo")) \(photos == 1 ? "has" : "have") it."
    Console.printDryRun(
      globals, rendered(photos: photos).object ?? [:], ["Would \(would) \(title)\(end). \(use)"])
  }

  private var title: String {
    name.value.isEmpty ? "\(id)" : "\(id) “\(Console.printable(name.value))”"
  }
}
