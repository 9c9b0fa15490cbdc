import Cairn

extension Pin {
  /// Prints the pin in a line that begins with `action`, such as “Added pin”.
  func printLine(_ action: String) {
    let name = name.value.isEmpty ? "" : " “\(Console.printable(name.value))”"
    let coordinate = location.value
    Console.print("\(action) \(id)\(name) at \(coordinate.latitude), \(coordinate.longitude).")
  }
}
