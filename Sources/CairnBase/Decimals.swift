/// Returns a number rounded to a number of decimal places, the same on every machine.
package func decimals(_ value: Double, _ digits: Int) -> String {
  let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
  let scaled = (value.magnitude * Double(unit)).rounded()
  guard scaled < 1e15 else { return "\(value)" }
  let whole = Int(scaled)
  let sign = value < 0 && whole > 0 ? "−" : ""
  if digits == 0 { return "\(sign)\(whole)" }
  let fraction = String(whole % unit)
  let padding = String(repeating: "0", count: digits - fraction.count)
  return "\(sign)\(whole / unit).\(padding)\(fraction)"
}

/// Returns `83.3%`; a dash for nil.
package func percent(_ share: Double?) -> String {
  share.map { decimals($0 * 100, 1) + "%" } ?? "–"
}

/// Returns `0.833`; a dash for nil.
package func ratio(_ value: Double?) -> String { value.map { decimals($0, 3) } ?? "–" }
