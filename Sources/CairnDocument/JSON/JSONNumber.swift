/// A JSON number, kept as its canonical text.
///
/// Integers beyond 2^53 keep their digits; every other number is written as the shortest decimal
/// that reads back as the same double, laid out as ECMAScript does.
///
/// Source: RFC 8785 section 3.2.2.3; ECMA-262 “Number::toString”.
public struct JSONNumber: Equatable, Sendable {
  public let text: String

  public init(_ value: Int) { text = String(value) }

  /// - Precondition: `value` is finite.
  public init(_ value: Double) {
    precondition(value.isFinite, "JSON has no infinity and no NaN")
    text = JSONNumber.shortest(value)
  }

  /// Creates a number from a literal that follows the JSON grammar; nil if it is too large.
  init?(literal: Substring.UTF8View) {
    let isInteger = !literal.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    let isCanonical = JSONNumber.isShortest(literal)
    let literal = String(Substring(literal))
    if isCanonical || isInteger && literal != "-0" {
      text = literal
      return
    }
    guard let value = Double(literal), value.isFinite else { return nil }
    text = JSONNumber.shortest(value)
  }

  /// Returns whether a fraction is certainly in canonical form: with a point, no exponent and no
  /// extra digit. Decimals of at most 15 digits are all different doubles.
  private static func isShortest(_ literal: Substring.UTF8View) -> Bool {
    let zero = UInt8(ascii: "0")
    guard let point = literal.firstIndex(of: UInt8(ascii: ".")), literal.last != zero,
      literal.first != UInt8(ascii: "-"),
      literal.count <= 16, literal[literal.index(after: point)...].allSatisfy({ $0 &- zero < 10 })
    else { return false }
    // Numbers from one millionth on have no exponent.
    return literal.first != zero
      || literal[literal.index(after: point)...].prefix(5).contains { $0 != zero }
  }

  public var double: Double { Double(text) ?? .infinity }
  public var int: Int? { Int(text) }

  /// Returns whether this number sorts before `other`: by value, then by text.
  package func precedes(_ other: JSONNumber) -> Bool {
    let (a, b) = (double, other.double)
    return a == b ? text.precedesInUTF8(other.text) : a < b
  }

  private static func shortest(_ value: Double) -> String {
    if value == 0 { return "0" }
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    // Swift's description has the right digits; only the position of the point differs.
    let sign = value < 0 ? "-" : ""
    let parts = abs(value).description.split(separator: "e", maxSplits: 1)
    let exponent = parts.count == 2 ? Int(parts[1])! : 0
    let mantissa = parts[0].split(separator: ".", maxSplits: 1)
    var digits = mantissa.joined()
    var point = mantissa[0].count + exponent
    let leading = digits.prefix { $0 == "0" }.count
    digits.removeFirst(leading)
    point -= leading
    while digits.last == "0" { digits.removeLast() }

    let count = digits.count
    switch point {
    case count...21:
      return sign + digits + String(repeating: "0", count: point - count)
    case 1...21:
      return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    case -5...0:
      return sign + "0." + String(repeating: "0", count: -point) + digits
    default:
      let fraction = count > 1 ? "." + digits.dropFirst() : ""
      let power = point - 1
      return sign + digits.prefix(1) + fraction + "e" + (power < 0 ? "-" : "+")
        + String(abs(power))
    }
  }
}
