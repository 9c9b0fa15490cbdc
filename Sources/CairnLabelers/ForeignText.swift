internal import CairnDocument
internal import CairnTransport

/// What others say, as far as it can be shown.
enum ForeignText {
  /// Returns the beginning of a text on one line, without what a terminal would obey.
  static func short(_ text: String, limit: Int = 200) -> String {
    // A character may be of any length.
    let words = text.cut(toBytes: limit * 16).split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    let shown = ServerWords.printable(String(words.prefix(limit * 2)))
    return shown.count > limit ? String(shown.prefix(limit)) + "…" : shown
  }
}
