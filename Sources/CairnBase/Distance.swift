/// Parses distances, in queries and in options of the command line.
package enum Distance {
  /// Returns the meters of `500m`, `2 km` or `500`, a number of meters; nil for any other text, for
  /// a distance that is not positive, and for one beyond the other side of the Earth.
  package static func meters(_ text: some StringProtocol) -> Double? {
    let lower = text.lowercased()
    let unit = ["km", "m"].first { lower.hasSuffix($0) } ?? ""
    var digits = lower.dropLast(unit.count)
    while digits.last?.isWhitespace == true { digits.removeLast() }
    guard let number = Double(digits) else { return nil }
    let meters = unit == "km" ? number * 1000 : number
    return meters > 0 && meters <= Double.pi * UnitVector.earthRadiusMeters ? meters : nil
  }
}
