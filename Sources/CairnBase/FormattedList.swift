extension [String] {
  /// Formats `a`, `a and b`, `a, b and c`.
  package var formattedList: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
