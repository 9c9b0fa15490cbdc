import Foundation

func seconds(_ value: Double) -> String {
  switch value {
  case _ where value.isNaN: "–"
  case ..<0.1: String(format: "%.1f ms", value * 1000)
  case ..<1: String(format: "%.0f ms", value * 1000)
  case ..<10: String(format: "%.2f s", value)
  default: String(format: "%.1f s", value)
  }
}

func bytes(_ value: Double) -> String {
  switch value {
  case _ where value.isNaN: "–"
  case ..<1_000_000: String(format: "%.1f kB", value / 1000)
  case ..<1_000_000_000: String(format: "%.1f MB", value / 1e6)
  default: String(format: "%.2f GB", value / 1e9)
  }
}

func times(_ ratio: Double) -> String {
  ratio.isFinite ? String(format: ratio < 0.1 ? "%.4f" : ratio < 10 ? "%.2f" : "%.0f", ratio) : "–"
}

/// Returns a number with thousands separators: 1,200,000.
func grouped(_ number: Int) -> String {
  var digits = String(number)
  var groups: [String] = []
  while digits.count > 3 {
    groups.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return ([digits] + groups).joined(separator: ",")
}
