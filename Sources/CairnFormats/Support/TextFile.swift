/// Returns the bytes of a text file without a byte order mark, which some editors begin it with.
func withoutByteOrderMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
  let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
}

/// Returns text in UTF-8: names in another encoding would silently become other names.
///
/// - Throws: ``FormatError`` for bytes that are not UTF-8.
func utf8Text(
  _ bytes: some Collection<UInt8>, _ location: ImportedLocation
) throws -> String {
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw FormatError(location, "it is not valid UTF-8", hint: "Save the file as UTF-8.")
  }
  return text
}

extension ImportReader {
  /// Returns the lines of a small text file, such as a list of classes; nil when there is none.
  ///
  /// - Throws: ``FormatError`` for a file that is not UTF-8.
  func lines(of path: String) throws -> [String]? {
    guard let bytes = try read(path) else { return nil }
    let text = try utf8Text(withoutByteOrderMark(bytes), ImportedLocation(path))
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
  }

  /// Calls `visit` with the text of each non-blank line of a file.
  ///
  /// - Throws: ``FormatError`` for a line that is not UTF-8.
  func forEachTextLine(
    of path: String, _ visit: (String, ImportedLocation) throws -> Void
  ) throws {
    try forEachLine(of: path) { line, location in
      try visit(try utf8Text(line, location), location)
    }
  }
}
