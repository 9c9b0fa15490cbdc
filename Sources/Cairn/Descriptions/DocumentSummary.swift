internal import CairnBase
package import CairnDocument
internal import CairnMerge

/// A text form of a document, one fact per line, which git shows instead of its JSON.
///
/// The same document gives the same lines on every machine, in any locale and time zone.
package struct DocumentSummary: Equatable, Sendable {
  package let lines: [String]

  /// Reads a document of any kind.
  package init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    let json = try JSON(bytes: bytes)
    guard let kind = json["kind"]?.string.flatMap(DocumentKind.init(rawValue:)) else {
      throw DocumentError(.schema, "“kind” is missing or not a document kind")
    }
    let document: Document =
      switch kind {
      case .dataset: .manifest(try Manifest(json: json))
      case .pin: .pin(try Pin(json: json))
      case .photo: .photo(try Photo(json: json))
      case .label: .label(try Label(bytes: json.canonicalBytes))
      case .class: .class(try LabelClass(json: json))
      case .run: .run(try Run(json: json))
      case .erasure: .erasure(try Erasure(json: json))
      case .redaction: .redaction(try Redaction(json: json))
      }
    let facts = DocumentFields(json, of: kind).contents
      .sorted { DocumentSummary.comesFirst($0.key, $1.key) }
      .flatMap { name, content in
        DocumentSummary.lines(name, content.value)
          + (content.stamp.map { ["  since \($0.displayText)"] } ?? [])
      }
    lines = DocumentSummary.identity(document) + facts + DocumentSummary.end(document)
  }

  private static func identity(_ document: Document) -> [String] {
    switch document {
    case .manifest(let document): ["dataset \(document.id)"]
    case .pin(let document): ["pin \(document.id)"]
    case .photo(let document): ["photo \(document.id)"]
    case .label(let document):
      [
        "photo \(document.photo)", "class \(document.classKey)",
        "annotator \(document.annotator.description)",
      ]
    case .class(let document): ["class \(document.key)"]
    case .run(let document): ["run \(document.id)"]
    case .erasure(let document): ["erasure of photo \(document.photo)"]
    case .redaction(let document):
      switch document.subject {
      case .photo(let id): ["redaction of photo \(id)"]
      case .person(let id): ["redaction of person \(id)"]
      }
    }
  }

  /// Orders fields by name, but puts the verdict before the confidence.
  private static func comesFirst(_ a: String, _ b: String) -> Bool {
    a == "verdict" || b != "verdict" && a.precedesInUTF8(b)
  }

  private static func end(_ document: Document) -> [String] {
    if case .label(let label) = document { ["stamp \(label.stamp.displayText)"] } else { [] }
  }

  /// Returns a line per ring, so that git's diff shows which one changed.
  private static func outline(_ region: Region) -> [String] {
    region.polygons.flatMap { polygon in
      polygon.rings.enumerated().map { index, ring in
        let points = ring.map { "\(JSON($0.x).displayText),\(JSON($0.y).displayText)" }
        return "  | \(index == 0 ? "polygon" : "hole") \(points.joined(separator: " "))"
      }
    }
  }

  private static func lines(_ name: String, _ value: JSON) -> [String] {
    if name == "region", let region = try? Region(json: value), region.extra.isEmpty {
      let box = [region.x, region.y, region.width, region.height].map { JSON($0).displayText }
      let crowd = region.isCrowd ? ", crowd" : ""
      return ["region \(box.joined(separator: ",")) (\(region.id)\(crowd))"] + outline(region)
    }
    if let text = value.string {
      if let stamp = Stamp(text) { return ["\(name) \(stamp.displayText)"] }
      // One output line per line of text, so that git's diff shows which line changed.
      let parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      if parts.count > 1 { return [name] + parts.map { "  | \($0)" } }
      return [text.isPlainWord ? "\(name) \(text)" : "\(name) “\(text)”"]
    }
    let lines = value.canonicalText.split(separator: "\n").map(String.init)
    if lines.count > 1 { return [name] + lines.map { "  | \($0)" } }
    return ["\(name) \(value.displayText)"]
  }
}

extension Stamp {
  /// The wall time and replica: `2026-11-20 23:31:05.123 UTC on 7f3a9c21`.
  fileprivate var displayText: String {
    let text = RFC3339.text(milliseconds: milliseconds)
    let count = counter == 0 ? "" : " #\(counter)"
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(12)) UTC\(count) on \(replica)"
  }
}
