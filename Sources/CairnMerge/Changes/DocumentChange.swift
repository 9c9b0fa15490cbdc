public import CairnDocument

/// The differences between two versions of a document: labels and fields, never lines.
public struct DocumentChange: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable { case added, modified, removed }

  /// A value that differs between the two versions.
  public struct Field: Equatable, Sendable {
    /// The path of keys, joined by dots: `verdict`, `title`, `policy.threshold`; `title.stamp` if
    /// only the stamp of the title differs; `error` for a version that is not valid.
    public let name: String
    /// Nil if the first version has no such field.
    public let old: JSON?
    public let new: JSON?
  }

  /// One difference, described in text.
  public struct Assertion: Equatable, Sendable {
    /// A sentence without its full stop, about ``DocumentChange/subject``.
    public let text: String
    /// The fields that the text describes.
    public let fields: [Field]
  }

  public let path: DocumentPath
  public let kind: Kind
  /// The document's display name: `photo 3fa912345678`, `class oak`.
  public let subject: String
  /// The annotator of a label; nil for other kinds.
  public let annotator: Annotator?
  public private(set) var assertions: [Assertion]

  public var fields: [Field] { assertions.flatMap(\.fields) }

  /// Compares two versions of the document at `path`, given as bytes; nil if a version does not
  /// exist.
  ///
  /// An invalid version is reported with its error. Two versions with equal content but different
  /// bytes give one assertion without fields.
  public init(
    _ old: [UInt8]?, _ new: [UInt8]?, at path: DocumentPath, naming: Naming = .byKey
  ) {
    let versions = (old.map { Version($0, at: path) }, new.map { Version($0, at: path) })
    self.init(versions.0, versions.1, at: path, naming)
  }

  /// Compares two versions of the document at `path`, which need not be valid.
  public init(_ old: JSON?, _ new: JSON?, at path: DocumentPath, naming: Naming = .byKey) {
    self.init(old.map(Version.valid), new.map(Version.valid), at: path, naming)
  }

  private init(_ old: Version?, _ new: Version?, at path: DocumentPath, _ naming: Naming) {
    let description = ChangeDescription(old?.json, new?.json, at: path, naming: naming)
    self.path = path
    kind = old == nil ? .added : new == nil ? .removed : .modified
    subject = description.subject
    annotator = description.annotator
    assertions = []
    if let error = new?.error {
      assertions = [Assertion("invalid: \(error)", "error", old?.error, error)]
    } else {
      if let error = old?.error {
        let text =
          new == nil ? "deleted; it was invalid" : "valid again; it was invalid: \(error)"
        assertions = [Assertion(text, "error", error, nil)]
      }
      assertions += description.assertions
    }
    if assertions.isEmpty {
      assertions = [Assertion(text: "same content, different formatting", fields: [])]
    }
  }

  /// Returns the assertions of this change with a field that all `others` change too: for a merge,
  /// the fields that differ from every parent. Nil if nothing is left.
  public func common(with others: [DocumentChange]) -> DocumentChange? {
    let names = others.map { Set($0.fields.map(\.name)) }
    var common = self
    common.assertions = assertions.filter { assertion in
      assertion.fields.contains { field in names.allSatisfy { $0.contains(field.name) } }
    }
    return common.assertions.isEmpty ? nil : common
  }
}

extension DocumentChange {
  /// Display names for the classes and pins that documents refer to.
  public struct Naming {
    public var ofClass: (ClassKey) -> String
    public var ofPin: (PinID) -> String

    public init(ofClass: @escaping (ClassKey) -> String, ofPin: @escaping (PinID) -> String) {
      (self.ofClass, self.ofPin) = (ofClass, ofPin)
    }

    /// Names classes by their keys and pins by the first digits of their ids.
    public static var byKey: Naming {
      Naming(ofClass: \.text, ofPin: { DocumentChange.short($0.text) })
    }
  }

  /// Returns the first digits of an id, for display.
  public static func short(_ id: String) -> String { String(id.prefix(12)) }

  /// One object per field: `kind`, then the document's identity (`photo`, `class`, `annotator`,
  /// `pin`, `run`), then `field`, `old` and `new`. Null means no value.
  public var rendered: [JSON] {
    var identity: JSONObject = ["change": .string(kind.rawValue), "path": .string("\(path)")]
    identity["annotator"] = annotator.map { .string($0.description) }
    identity["kind"] = path.kind.map { .string($0.rawValue) }
    switch path {
    case .photo(let id): identity["photo"] = .string(id.description)
    case .label(let photo, let name):
      identity["photo"] = .string(photo.description)
      identity["class"] = .string(name.classKey.text)
    case .class(let key): identity["class"] = .string(key.text)
    case .pin(let id): identity["pin"] = .string(id.text)
    case .run(let id): identity["run"] = .string(id.text)
    case .manifest, .image: break
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
  fileprivate init(_ text: String, _ name: String, _ old: DocumentError?, _ new: DocumentError?) {
    self.init(
      text: text,
      fields: [
        DocumentChange.Field(
          name: name, old: old.map { .string($0.description) },
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
