/// Returns a row of CSV. Source: RFC 4180.
package func csvRow(_ cells: [String]) -> String {
  cells.map(csvCell).joined(separator: ",") + "\r\n"
}

private func csvCell(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy {
    $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != 0x0A && $0 != 0x0D
  }
  if isPlain { return text }
  // Scalars, as readers compare them: in Swift, a quote with a combining mark is another character.
  let scalars = text.unicodeScalars
  return "\"" + String(scalars.replacing("\"".unicodeScalars, with: "\"\"".unicodeScalars)) + "\""
}
