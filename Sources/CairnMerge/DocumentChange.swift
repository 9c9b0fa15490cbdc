public import CairnDocument

/// How one document differs between two versions: what was said of labels and fields, never lines.
public struct DocumentChange: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable { case added, modified, removed }

  /// A value that is not the same in both versions.
  public struct Field: Equatable, Sendable {
    /// The keys that lead to it, with dots between them: `verdict`, `title`, `policy.threshold`;
    /// `title.stamp` where only the time of the title is another; `error` of a version that does
    /// not read.
    public let name: String
    /// Nil where the first version has no such field.
    public let old: JSON?
    public let new: JSON?
  }

  /// Something that became different, in words.
  public struct Statement: Equatable, Sendable {
    /// A sentence without its full stop, about ``DocumentChange/subject``.
    public let text: String
    /// What it puts in words.
    public let fields: [Field]
  }

  public let path: DocumentPath
  public let kind: Kind
  /// What the document is about, as people call it: `photo 3fa912345678`, `class oak`.
  public let subject: String
  /// Who says it, of a label.
  public let annotator: Annotator?
  public private(set) var statements: [Statement]

  public var fields: [Field] { statements.flatMap(\.fields) }

  /// Compares two versions of the document at `path`, by their bytes; nil where there is none.
  ///
  /// A version that does not read is told as such. Two versions that say the same in other bytes
  /// are one statement without fields.
  public init(
    _ old: [UInt8]?, _ new: [UInt8]?, at path: DocumentPath, naming: Naming = .byKey
  ) {
    let versions = (old.map { Version($0, at: path) }, new.map { Version($0, at: path) })
    self.init(versions.0, versions.1, at: path, naming)
  }

  /// Compares two versions of the document at `path`, which need not be valid.
  public init(_ old: JSON?, _ new: JSON?, at path: DocumentPath, naming: Naming = .byKey) {
    self.init(old.map(Version.reads), new.map(Version.reads), at: path, naming)
  }

  private init(_ old: Version?, _ new: Version?, at path: DocumentPath, _ naming: Naming) {
    let words = ChangeWords(old?.json, new?.json, at: path, naming: naming)
    self.path = path
    kind = old == nil ? .added : new == nil ? .removed : .modified
    subject = words.subject
    annotator = words.annotator
    statements = []
    if let error = new?.error {
      statements = [Statement("does not read: \(error)", "error", old?.error, error)]
    } else {
      if let error = old?.error {
        let text = new == nil ? "did not read, and is gone" : "reads again, it did not: \(error)"
        statements = [Statement(text, "error", error, nil)]
      }
      statements += words.statements
    }
    if statements.isEmpty {
      statements = [Statement(text: "says the same, written otherwise", fields: [])]
    }
  }

  /// Returns this change without what `others` do not have: of a version with several parents, what
  /// is as in none of them. Nil when nothing is left.
  public func common(with others: [DocumentChange]) -> DocumentChange? {
    let names = others.map { Set($0.fields.map(\.name)) }
    var common = self
    common.statements = statements.filter { statement in
      statement.fields.contains { field in names.allSatisfy { $0.contains(field.name) } }
    }
    return common.statements.isEmpty ? nil : common
  }
}

extension DocumentChange {
  /// What the things are called that documents refer to by their ids.
  public struct Naming {
    public var ofClass: (ClassKey) -> String
    public var ofPin: (PinID) -> String

    public init(ofClass: @escaping (ClassKey) -> String, ofPin: @escaping (PinID) -> String) {
      (self.ofClass, self.ofPin) = (ofClass, ofPin)
    }

    /// Classes by their keys, pins by the first digits of their ids.
    public static var byKey: Naming {
      Naming(ofClass: \.text, ofPin: { DocumentChange.short($0.text) })
    }
  }

  /// The first digits of an id, as people are shown them.
  public static func short(_ id: String) -> String { String(id.prefix(12)) }

  /// One object for each field: `kind`, then which document (`photo`, `class`, `annotator`, `pin`,
  /// `run`), then `field`, `old` and `new`. Null stands for no value.
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

extension DocumentChange.Statement {
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
  case reads(JSON)
  case fails(DocumentError)

  init(_ bytes: [UInt8], at path: DocumentPath) {
    do throws(DocumentError) {
      self = .reads(try Document(bytes: bytes, at: path).json)
    } catch {
      self = .fails(error)
    }
  }

  var json: JSON? { if case .reads(let json) = self { json } else { nil } }
  var error: DocumentError? { if case .fails(let error) = self { error } else { nil } }
}
