import Cairn

/// Parses distances on the command line.
enum Meters {
  /// Returns the meters of `500m`, `2km` or a bare number of meters.
  static func read(_ text: String) throws -> Double {
    let lower = text.lowercased()
    let (digits, unit): (Substring, Double) =
      lower.hasSuffix("km")
      ? (lower.dropLast(2), 1000) : lower.hasSuffix("m") ? (lower.dropLast(), 1) : (lower[...], 1)
    guard let number = Double(digits), number.isFinite, number > 0, number * unit <= 20_040_000
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a distance.", hint: "Such as 500m or 2km.")
    }
    return number * unit
  }
}
