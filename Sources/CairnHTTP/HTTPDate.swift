internal import CairnBase

/// Dates in HTTP's format.
///
/// Source: RFC 9110, “Date/Time Formats”, “Retry-After”.
package enum HTTPDate {
  /// Returns the delay of a `Retry-After` value in milliseconds; nil when it is invalid.
  static func delay(_ text: String, now: Int64) -> Int64? {
    if let seconds = Int64(text), seconds >= 0 { return min(seconds, 1 << 32) * 1000 }
    return milliseconds(text).map { max(0, $0 - now) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the milliseconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func milliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
      1970...9999 ~= year, let date = CivilDate(year: year, month: month + 1, day: day)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else {
      return nil
    }
    return Int64(((date.daysSince1970 * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2]) * 1000
  }
}
