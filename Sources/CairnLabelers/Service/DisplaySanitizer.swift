internal import CairnDocument
internal import CairnProcess

/// A sanitizer of untrusted text for display.
enum DisplaySanitizer {
  /// Returns the beginning of a text on one line, without terminal control sequences.
  static func short(_ text: String, limit: Int = 200) -> String {
    // A character may be of any length.
    let line = text.cut(toBytes: limit * 16).split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    let shown = ServerMessages.printable(String(line.prefix(limit * 2)))
    return shown.count > limit ? String(shown.prefix(limit)) + "…" : shown
  }
}
