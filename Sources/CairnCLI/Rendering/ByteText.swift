/// Returns a number of bytes with about three digits and a decimal unit: “950 B”, “1.2 MB”.
func byteText(_ bytes: Int) -> String {
  var (value, unit) = (Double(bytes), 0)
  let units = ["B", "kB", "MB", "GB", "TB"]
  while value >= 999.5, unit < units.count - 1 {
    value /= 1000
    unit += 1
  }
  if unit == 0 || value >= 99.95 { return "\(Int(value.rounded())) \(units[unit])" }
  return "\((value * 10).rounded() / 10) \(units[unit])"
}
