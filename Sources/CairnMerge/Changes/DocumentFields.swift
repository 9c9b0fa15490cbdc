internal import CairnDocument

/// The contents of a document by field: registers by their values, the rest by its innermost
/// values.
struct DocumentFields {
  struct Content {
    let value: JSON
    /// The register's stamp; nil for any other value.
    let stamp: Stamp?
  }

  /// Contents by name: the path of keys, joined by dots (`policy.threshold`).
  private(set) var contents: [String: Content] = [:]

  init(_ document: JSON, of kind: DocumentKind) {
    for (key, value) in document.object?.members ?? [] {
      if DocumentFields.identity(of: kind).contains(key) { continue }
      if kind == .label, key == "region" {
        contents[key] = Content(value: value, stamp: nil)
      } else {
        add(value, key)
      }
    }
  }

  private mutating func add(_ value: JSON, _ name: String) {
    guard case .object(let object) = value, !object.isEmpty else {
      contents[name] = Content(value: value, stamp: nil)
      return
    }
    let stamp = value.register
    if let stamp, let content = object["value"] {
      contents[name] = Content(value: content, stamp: stamp)
    }
    for (key, value) in object.members where stamp == nil || key != "value" && key != "stamp" {
      add(value, name + "." + key)
    }
  }

  /// Returns the members that identify a document, and the stamp of a label.
  static func identity(of kind: DocumentKind) -> Set<String> {
    switch kind {
    case .label: ["annotator", "class", "kind", "photo", "stamp"]
    case .class: ["key", "kind"]
    case .pin, .photo, .run, .dataset: ["id", "kind"]
    }
  }
}

extension JSON {
  /// Whether this is an empty value: null, false, an empty string, array or object.
  var isEmptyValue: Bool {
    switch self {
    case .null: true
    case .bool(let value): !value
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let object): object.isEmpty
    case .number: false
    }
  }

  /// This value for display, on one line: a plain word without quotation marks, other text with
  /// them.
  var displayText: String {
    switch self {
    case .null: "none"
    case .bool(let value): value ? "yes" : "no"
    case .number(let number): number.text
    case .string(let text): text.isPlainWord ? text : text.quoted
    case .array, .object:
      canonicalText.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        .joined(separator: " ").shortened
    }
  }
}

extension String {
  /// This text in quotation marks, on one line and shortened if long.
  var quoted: String {
    let lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return "“\(lines.joined(separator: "↵").shortened)”"
  }

  /// Whether this text is unmistakably a single word: an id, a slug, an address.
  var isPlainWord: Bool {
    guard let first = unicodeScalars.first, !["none", "yes", "no"].contains(self),
      Double(self) == nil || utf8.count >= 20
    else { return false }
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: "@:._/+-".unicodeScalars.contains(scalar)
      }
    }
    return isPlain(first) && unicodeScalars.allSatisfy(isPlain)
  }

  fileprivate var shortened: String {
    let limit = 240
    return unicodeScalars.count <= limit
      ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(limit - 1))) + "…"
  }
}
