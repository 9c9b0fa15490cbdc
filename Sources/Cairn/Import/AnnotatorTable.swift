package import CairnDocument
package import CairnFiles
internal import CairnFormats
public import SystemPackage

/// Reads a table of annotators: in each row a name or an id that imported files use, and the email
/// address of that person, or `model:NAME@VERSION`.
///
/// A first row without an address is a header.
/// - Throws: ``CairnError/Kind/notFound`` without the file, ``CairnError/Kind/invalidInput`` for a
///   row that is not a name and an address.
package func annotatorTable(
  at path: FilePath, files: FileSystem = FileSystem()
) throws(CairnError) -> [String: Annotator] {
  try translating {
    guard let bytes = try files.read(path, limit: 1 << 24) else {
      throw CairnError(.notFound, "There is no file \(path).")
    }
    let file = path.lastComponent?.string ?? path.string
    var annotators: [String: Annotator] = [:]
    do {
      try bytes.withUnsafeBytes { bytes in
        try forEachCSVRow(bytes, named: file) { row, line in
          func wrong(_ message: String) -> CairnError {
            CairnError(
              .invalidInput, "\(file), line \(line): \(message).",
              hint: "Write rows such as `3,alice@example.org`.")
          }
          guard row.count == 2 else {
            throw wrong("\(row.count) cells, instead of a name and an address")
          }
          let (name, text) = (row[0].trimmingSpaces(), row[1].trimmingSpaces())
          guard let annotator = annotator(text) else {
            if annotators.isEmpty, line == 1 { return }
            throw wrong("“\(text.prefix(100))” is not an email address")
          }
          if let other = annotators[name], other != annotator {
            throw wrong("“\(name.prefix(100))” has two addresses")
          }
          annotators[name] = annotator
        }
      }
    } catch let error as FormatError {
      throw CairnError(.invalidInput, "\(error).", hint: error.hint)
    }
    return annotators
  }
}

private func annotator(_ text: String) -> Annotator? {
  if text.hasPrefix("model:") { return Annotator(text) }
  let address = text.hasPrefix("human:") ? String(text.dropFirst("human:".count)) : text
  return ImportedAnnotator.isAddress(address) ? Annotator(email: address) : nil
}

extension FormatImportOptions {
  /// Reads ``annotators`` from a CSV table: in each row a name or an id that imported files use, and
  /// the email address of that person, or `model:NAME@VERSION`.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` without the file, ``CairnError/Kind/invalidInput`` for a
  ///   row that is not a name and an address.
  public mutating func readAnnotators(at path: FilePath) throws(CairnError) {
    annotators = try annotatorTable(at: path)
  }
}
