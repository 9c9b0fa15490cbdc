import CairnDocument
import Foundation
import TestSupport

extension SeededGenerator {
  /// Returns any finite double; unusual values are as likely as common ones.
  mutating func double() -> Double {
    switch below(4) {
    case 0: return Double(below(2_000_001) - 1_000_000) / pick([1, 10, 64, 1000, 1e9])
    case 1:
      return pick([
        0, -0.0, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1 / 3,
      ])
    default:
      let value = Double(bitPattern: next())
      return value.isFinite ? value : 0.5
    }
  }

  /// Returns text with characters that need escapes, look like escapes or take two UTF-16 units.
  mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é", "e",
      "\u{301}", "柴", "\u{2028}", "\u{FFFF}", "\u{1F332}", "\u{10FFFF}", "u", "{", "\u{8}",
    ]
    var text = ""
    for _ in 0..<below(9) { text.unicodeScalars.append(pick(scalars)) }
    return text
  }

  mutating func json(depth: Int = 4) -> JSON {
    switch below(depth > 0 ? 8 : 6) {
    case 0: return .null
    case 1: return .bool(chance(50))
    case 2: return .number(JSONNumber(double()))
    case 3: return .number(JSONNumber(Int(truncatingIfNeeded: next())))
    case 4, 5: return .string(text())
    case 6: return .array((0..<below(5)).map { _ in json(depth: depth - 1) })
    default: return .object(object(depth: depth - 1))
    }
  }

  mutating func object(depth: Int = 3) -> JSONObject {
    JSONObject((0..<below(6)).map { _ in (text(), json(depth: depth)) })
  }

  /// Returns a stamp from few times, counters and replicas, so that stamps often collide.
  mutating func stamp() -> Stamp {
    let times: [Int64] = [
      0, 1, -1, 999, 1000, 86_399_999, 1_795_000_000_000, 1_795_000_000_001, -62_167_219_200_000,
      221_845_391_999_999,
    ]
    let time = chance(50) ? pick(times) : Int64(below(221_845_392_000_000))
    return Stamp(
      milliseconds: time,
      counter: UInt16(truncatingIfNeeded: pick([0, 1, 255, 65535, below(65536)])),
      replica: ReplicaID(rawValue: pick([0, 1, 0x7f3a_9c21, .max])))
  }
}

extension SeededGenerator {
  /// Writes `value` in a form that is not canonical: members in any order, white space anywhere,
  /// other spellings of numbers and, if `escapes` is true, of characters.
  mutating func sloppyText(_ value: JSON, escapes: Bool = true) -> String {
    let body: String
    switch value {
    case .null: body = "null"
    case .bool(let flag): body = flag ? "true" : "false"
    case .number(let number): body = sloppyNumber(number)
    case .string(let text): body = sloppyString(text, escapes: escapes)
    case .array(let elements):
      body =
        "[" + elements.map { sloppyText($0, escapes: escapes) }.joined(separator: ",")
        + (elements.isEmpty ? space() : "") + "]"
    case .object(let object):
      let members = object.members.shuffled(using: &self).map { key, value in
        space() + sloppyString(key, escapes: escapes) + space() + ":"
          + sloppyText(value, escapes: escapes)
      }
      body = "{" + members.joined(separator: ",") + space() + "}"
    }
    return space() + body + space()
  }

  private mutating func space() -> String { pick(["", "", " ", "\n", "\r\n", "\t  "]) }

  private mutating func sloppyNumber(_ number: JSONNumber) -> String {
    // An integer keeps its digits; any other number may be spelled differently.
    guard number.int == nil else { return number.text }
    switch below(3) {
    case 0: return number.text
    case 1: return number.text.uppercased()
    default: return number.text.contains("e") ? number.text : number.text + "e0"
    }
  }

  private mutating func sloppyString(_ text: String, escapes: Bool) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || (escapes && chance(20)) {
        for unit in String(scalar).utf16 {
          out += "\\u" + String(format: chance(50) ? "%04x" : "%04X", Int(unit))
        }
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

/// Returns the error that `body` throws; nil when it throws none.
func refusal<Value>(_ body: () throws(DocumentError) -> Value) -> DocumentError? {
  do throws(DocumentError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
