package import CairnDocument

/// The contents of a document by field: registers by their values, the rest by its innermost
/// values.
package struct DocumentFields {
  package struct Content {
    package let value: JSON
    /// The register's stamp; nil for any other value.
    package let stamp: Stamp?
  }

  /// Contents by name: the path of keys, joined by dots (`policy.threshold`).
  package private(set) var contents: [String: Content] = [:]

  package init(_ document: JSON, of kind: DocumentKind) {
    for (key, value) in document.object?.members ?? [] {
      if DocumentFields.identity(of: kind).contains(key) { continue }
      if kind == .label, key == "region" {
        contents[key] = Content(value: value, stamp: nil)
      } else if kind == .run, key == "silent" || key == "learned",
        let run = try? Run(json: document), let photos = key == "silent" ? run.silent : run.learned
      {
        // Their number says more than their ids.
        contents[key] = Content(value: JSON(photos.count), stamp: nil)
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
  private static func identity(of kind: DocumentKind) -> Set<String> {
    switch kind {
    case .label: ["annotator", "class", "kind", "photo", "stamp"]
    case .class: ["key", "kind"]
    case .erasure: ["kind", "photo"]
    case .redaction: ["kind", "person", "photo"]
    case .pin, .photo, .run, .dataset: ["id", "kind"]
    }
  }
}

extension JSON {
  /// Whether this is an empty value: null, false, an empty string, array or object.
  package var isEmptyValue: Bool {
    switch self {
    case .null: true
    case .bool(let value): !value
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let object): object.isEmpty
    case .number: false
    }
  }
}
