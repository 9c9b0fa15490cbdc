public import CairnDocument

/// The differences between two versions of a document: labels and fields, never lines.
public struct DocumentChange: Equatable, Sendable {
  /// What happened to a document.
  public enum Kind: String, Sendable, CaseIterable { case added, modified, removed }

  /// A value that differs between the two versions.
  package struct Field: Equatable, Sendable {
    /// The path of keys, joined by dots: `verdict`, `title`, `policy.threshold`; `title.stamp` if
    /// only the stamp of the title differs; `error` for a version that is not valid.
    package let name: String
    /// Nil if the first version has no such field.
    package let old: JSON?
    package let new: JSON?

    package init(name: String, old: JSON?, new: JSON?) {
      (self.name, self.old, self.new) = (name, old, new)
    }
  }

  /// One difference.
  package struct Assertion: Equatable, Sendable {
    package let content: Content
    /// The fields that differ.
    package let fields: [Field]
  }

  /// The content of an assertion about the document.
  package enum Content: Equatable, Sendable {
    /// The document is new; the fields of the assertion have their initial values.
    case created
    case deleted
    /// A label was added or changed.
    case labeled
    /// One field was added, changed or removed.
    case field(Field)
    /// The new version is invalid.
    case invalid(DocumentError)
    /// The new version is valid; the old one was not.
    case validAgain(DocumentError)
    /// The document was deleted; the old version was invalid.
    case deletedInvalid
    /// Both versions have the same content in different bytes.
    case reformatted
  }

  /// The path of the document.
  public let path: DocumentPath
  /// What happened to the document.
  public let kind: Kind
  /// The versions, as far as they exist and are valid.
  package let old: JSON?
  package let new: JSON?
  /// The display names of the classes and pins that the differences refer to.
  package let names: Names
  package private(set) var assertions: [Assertion]

  /// The annotator of a label; nil for other kinds.
  package var annotator: Annotator? {
    guard path.kind == .label else { return nil }
    return (new ?? old)?["annotator"]?.string.flatMap { Annotator($0) }
  }

  /// The fields that changed, of all assertions.
  package var fields: [Field] { assertions.flatMap(\.fields) }

  /// Compares two versions of the document at `path`, given as bytes; nil if a version does not
  /// exist.
  ///
  /// An invalid version is reported with its error. Two versions with equal content but different
  /// bytes give one assertion without fields.
  package init(
    _ old: [UInt8]?, _ new: [UInt8]?, at path: DocumentPath, naming: Naming = .byKey
  ) {
    let versions = (old.map { Version($0, at: path) }, new.map { Version($0, at: path) })
    self.init(versions.0, versions.1, at: path, naming)
  }

  /// Compares two versions of the document at `path`, which need not be valid.
  package init(_ old: JSON?, _ new: JSON?, at path: DocumentPath, naming: Naming = .byKey) {
    self.init(old.map(Version.valid), new.map(Version.valid), at: path, naming)
  }

  private init(_ old: Version?, _ new: Version?, at path: DocumentPath, _ naming: Naming) {
    let comparison = FieldComparison(
      old: old?.json, new: new?.json, kind: path.kind ?? .dataset)
    (self.path, self.old, self.new) = (path, comparison.old, comparison.new)
    kind = old == nil ? .added : new == nil ? .removed : .modified
    var assertions: [Assertion] = []
    if let error = new?.error {
      assertions = [Assertion(.invalid(error), old?.error, error)]
    } else {
      if let error = old?.error {
        let content = new == nil ? Content.deletedInvalid : .validAgain(error)
        assertions = [Assertion(content, error, nil)]
      }
      assertions += comparison.assertions
    }
    if assertions.isEmpty { assertions = [Assertion(content: .reformatted, fields: [])] }
    self.assertions = assertions
    names = Names(of: assertions, at: path, label: comparison.new ?? comparison.old, naming)
  }

  /// Returns the assertions of this change with a field that all `others` change too: for a merge,
  /// the fields that differ from every parent. Nil if nothing is left.
  package func common(with others: [DocumentChange]) -> DocumentChange? {
    let names = others.map { Set($0.fields.map(\.name)) }
    var common = self
    common.assertions = assertions.filter { assertion in
      assertion.fields.contains { field in names.allSatisfy { $0.contains(field.name) } }
    }
    return common.assertions.isEmpty ? nil : common
  }
}

extension DocumentChange {
  /// Looks up display names for the classes and pins that documents refer to.
  package struct Naming {
    package var ofClass: (ClassKey) -> String
    package var ofPin: (PinID) -> String

    package init(ofClass: @escaping (ClassKey) -> String, ofPin: @escaping (PinID) -> String) {
      (self.ofClass, self.ofPin) = (ofClass, ofPin)
    }

    /// Names classes by their keys and pins by the first digits of their ids.
    package static var byKey: Naming {
      Naming(ofClass: \.text, ofPin: { DocumentChange.short($0.text) })
    }
  }

  /// Display names at the time of the comparison.
  package struct Names: Equatable, Sendable {
    package private(set) var classes: [ClassKey: String] = [:]
    package private(set) var pins: [PinID: String] = [:]

    /// Looks up the names that a description of `assertions` needs.
    ///
    /// - Parameter label: The document, if it is a label.
    fileprivate init(
      of assertions: [Assertion], at path: DocumentPath, label: JSON?, _ naming: Naming
    ) {
      func add(class key: ClassKey?) {
        if let key, classes[key] == nil { classes[key] = naming.ofClass(key) }
      }
      if case .class(let key) = path { add(class: key) }
      if path.kind == .label { add(class: label?["class"]?.string.flatMap { ClassKey($0) }) }
      for assertion in assertions {
        guard case .field(let field) = assertion.content else { continue }
        for text in [field.old, field.new].compactMap({ $0?.string }) {
          switch (path.kind, field.name) {
          case (.class?, "aliasOf"), (.class?, "parent"): add(class: ClassKey(text))
          case (.photo?, "pin"):
            if let id = PinID(text), pins[id] == nil { pins[id] = naming.ofPin(id) }
          default: break
          }
        }
      }
    }
  }

  /// Returns the first digits of an id, for display.
  package static func short(_ id: String) -> String { String(id.prefix(12)) }

  /// One object per field: `kind`, then the document's identity (`photo`, `class`, `annotator`,
  /// `pin`, `run`), then `field`, `old` and `new`. Null means no value.
  public var rendered: [JSON] {
    var identity: JSONObject = ["change": .string(kind.rawValue), "path": .string("\(path)")]
    identity["annotator"] = annotator.map { .string($0.description) }
    identity["kind"] = path.kind.map { .string($0.rawValue) }
    switch path {
    case .photo(let id), .erasure(let id), .redaction(.photo(let id)):
      identity["photo"] = .string(id.description)
    case .redaction(.person(let id)): identity["person"] = .string(id.text)
    case .label(let photo, let name):
      identity["photo"] = .string(photo.description)
      identity["class"] = .string(name.classKey.text)
    case .class(let key): identity["class"] = .string(key.text)
    case .pin(let id): identity["pin"] = .string(id.text)
    case .run(let id): identity["run"] = .string(id.text)
    case .manifest, .image, .model: break
    }
    return fields.map { field in
      var object = identity
      object["field"] = .string(field.name)
      object["old"] = field.old ?? .null
      object["new"] = field.new ?? .null
      return .object(object)
    }
  }
}

extension DocumentChange.Assertion {
  fileprivate init(
    _ content: DocumentChange.Content, _ old: DocumentError?, _ new: DocumentError?
  ) {
    self.init(
      content: content,
      fields: [
        DocumentChange.Field(
          name: "error", old: old.map { .string($0.description) },
          new: new.map { .string($0.description) })
      ])
  }
}

/// A version of a document.
private enum Version {
  case valid(JSON)
  case invalid(DocumentError)

  init(_ bytes: [UInt8], at path: DocumentPath) {
    do throws(DocumentError) {
      self = .valid(try Document(bytes: bytes, at: path).json)
    } catch {
      self = .invalid(error)
    }
  }

  var json: JSON? { if case .valid(let json) = self { json } else { nil } }
  var error: DocumentError? { if case .invalid(let error) = self { error } else { nil } }
}
