internal import CairnDocument

/// The description of a Darwin Core Archive, `meta.xml`: its core table of occurrences, and the
/// table of their media.
///
/// Source: TDWG “Darwin Core text guide”, 2023-09-14.
struct DarwinCoreArchive {
  /// A table and its columns, by the last part of their terms: `scientificName`.
  struct Table {
    let path: String
    let form: TableForm
    /// Values of columns that the table does not have.
    let defaults: [String: String]
    /// The name of the column with the id of the occurrence.
    static let id = "(id)"
  }

  private(set) var occurrences: Table?
  private(set) var media: Table?
  /// The types of the tables that are not read.
  private(set) var others: [String] = []

  init(_ root: XMLElement, _ path: String) throws {
    guard root.name == "archive" || root.name.hasSuffix(":archive") else {
      throw FormatError(
        ImportedLocation(path, line: root.line), "the root element is not “archive”")
    }
    for element in root.elements where ["core", "extension"].contains(element.name) {
      let type = DarwinCoreArchive.name(ofTerm: element.attribute("rowType") ?? "")
      switch type {
      case "Occurrence":
        if occurrences == nil || element.name == "core" { occurrences = try table(element, path) }
      case "Multimedia", "Image", "Document": media = try table(element, path)
      default: others.append(type)
      }
    }
    guard occurrences != nil else {
      throw FormatError(ImportedLocation(path), "it describes no table of occurrences")
    }
  }

  /// Returns the part of a term's IRI after the last “/” or “#”.
  private static func name(ofTerm term: String) -> String {
    String(term.split { $0 == "/" || $0 == "#" }.last ?? "")
  }

  private func table(_ element: XMLElement, _ path: String) throws -> Table {
    func wrong(_ message: String) -> FormatError {
      FormatError(ImportedLocation(path, line: element.line), message)
    }
    let files = element["files"]?.elements.filter { $0.name == "location" } ?? []
    let file = files.first?.text.trimmingSpaces() ?? ""
    guard files.count == 1, !file.isEmpty, !file.contains("://"), !file.hasPrefix("/"),
      !file.split(separator: "/").contains("..")
    else { throw wrong("the location of a table is not a single file in this directory") }
    let encoding = (element.attribute("encoding") ?? "UTF-8").lowercased()
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding) else {
      throw wrong(
        "the encoding “\(encoding.prefix(32))” is not supported; convert \(file) to UTF-8")
    }
    var form = TableForm()
    form.separator = try byte(element.attribute("fieldsTerminatedBy") ?? ",", wrong) ?? 0x2C
    form.quote = try byte(element.attributes["fieldsEnclosedBy"] ?? "\"", wrong)
    form.headerCount = min(max(Int(element.attribute("ignoreHeaderLines") ?? "0") ?? 0, 0), 1000)
    var columns: [String: Int] = [:]
    var defaults: [String: String] = [:]
    for field in element.elements {
      let text = field.attribute("index")
      let index = text.flatMap { Int($0.trimmingSpaces()) }
      if let text, index.map({ $0 < 0 }) ?? true {
        throw FormatError(
          ImportedLocation(path, line: field.line),
          "“\(text.prefix(32))” is not the number of a column")
      }
      switch field.name {
      case "id", "coreid", "coreId": columns[Table.id] = index ?? 0
      case "field":
        let name = DarwinCoreArchive.name(ofTerm: field.attribute("term") ?? "")
        if let index { columns[name] = columns[name] ?? index }
        defaults[name] = field.attribute("default")
      default: break
      }
    }
    form.columns = columns
    return Table(path: file, form: form, defaults: defaults)
  }

  /// Returns a separator or quotation mark, which may be written as `\t`; nil for an empty one.
  private func byte(_ text: String, _ wrong: (String) -> FormatError) throws -> UInt8? {
    let escapes = ["\\t": "\t", "\\\"": "\"", "\\u0009": "\t"]
    let text = escapes[text] ?? text
    guard text.utf8.count <= 1 else {
      throw wrong("“\(text.prefix(16))” is not a single character")
    }
    return text.utf8.first
  }
}
