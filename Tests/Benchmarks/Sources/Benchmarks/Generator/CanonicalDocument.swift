/// A document in canonical bytes, as Schema/README.md defines them, and its path.
struct CanonicalDocument {
  var path: String
  var text: String

  /// - Parameter members: The sorted keys, each with its value as canonical JSON at this depth.
  init(path: String, _ members: KeyValuePairs<String, String>) {
    self.path = path
    text = object(members, indent: "") + "\n"
  }

  /// The document on one line, as `cairn import documents` reads it. No string in it has a line end.
  var line: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var isIndent = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\n") {
        isIndent = true
      } else if !isIndent || byte != UInt8(ascii: " ") {
        isIndent = false
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Returns a register: a value with its stamp.
func register(_ stamp: String, _ value: String) -> String {
  object(["stamp": quoted(stamp), "value": value], indent: "  ")
}

func object(_ members: KeyValuePairs<String, String>, indent: String) -> String {
  var text = "{"
  for (index, member) in members.enumerated() {
    text += "\(index == 0 ? "" : ",")\n\(indent)  \"\(member.key)\": \(member.value)"
  }
  return text + "\n\(indent)}"
}

/// Quotes a text that contains no quotes, backslashes or control characters.
func quoted(_ text: String) -> String { "\"\(text)\"" }

/// Returns `value` divided by ten to the power of `places`, with the fewest digits.
func decimal(_ value: Int, places: Int) -> String {
  let digits = String(abs(value))
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
  var fraction = padded.suffix(places)
  while fraction.last == "0" { fraction.removeLast() }
  let whole = (value < 0 ? "-" : "") + padded.dropLast(places)
  return fraction.isEmpty ? whole : "\(whole).\(fraction)"
}
