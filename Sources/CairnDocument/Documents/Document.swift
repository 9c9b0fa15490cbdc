/// Any document of a dataset.
public enum Document: Equatable, Sendable {
  case manifest(Manifest)
  case pin(Pin)
  case photo(Photo)
  case label(Label)
  case `class`(LabelClass)
  case run(Run)
  case erasure(Erasure)
  case redaction(Redaction)

  /// Reads a document of the kind recorded in it.
  public init(bytes: [UInt8]) throws(DocumentError) {
    let kind = try JSON(bytes: bytes)["kind"]?.string.flatMap(DocumentKind.init(rawValue:))
    switch kind {
    case .dataset: self = .manifest(try Manifest(bytes: bytes))
    case .pin: self = .pin(try Pin(bytes: bytes))
    case .photo: self = .photo(try Photo(bytes: bytes))
    case .label: self = .label(try Label(bytes: bytes))
    case .class: self = .class(try LabelClass(bytes: bytes))
    case .run: self = .run(try Run(bytes: bytes))
    case .erasure: self = .erasure(try Erasure(bytes: bytes))
    case .redaction: self = .redaction(try Redaction(bytes: bytes))
    case nil: throw .schema("“kind” is missing or not a document kind")
    }
  }

  /// Reads the document at `path` and checks that its content matches the path.
  public init(bytes: some Sequence<UInt8>, at path: DocumentPath) throws(DocumentError) {
    switch path {
    case .manifest: self = .manifest(try Manifest(bytes: bytes))
    case .pin: self = .pin(try Pin(bytes: bytes))
    case .photo: self = .photo(try Photo(bytes: bytes))
    case .label: self = .label(try Label(bytes: bytes))
    case .class: self = .class(try LabelClass(bytes: bytes))
    case .run: self = .run(try Run(bytes: bytes))
    case .erasure: self = .erasure(try Erasure(bytes: bytes))
    case .redaction: self = .redaction(try Redaction(bytes: bytes))
    case .image, .model: throw .schema("a pointer is not a document")
    }
    if self.path != path { throw .schema("it belongs at \(self.path)") }
  }

  /// The path of the document in the dataset.
  public var path: DocumentPath {
    switch self {
    case .manifest: .manifest
    case .pin(let pin): .pin(pin.id)
    case .photo(let photo): .photo(photo.id)
    case .label(let label): .label(label.photo, label.name)
    case .class(let labelClass): .class(labelClass.key)
    case .run(let run): .run(run.id)
    case .erasure(let erasure): .erasure(erasure.photo)
    case .redaction(let redaction): .redaction(redaction.subject)
    }
  }

  /// The document as JSON, including members that this version does not know.
  public var json: JSON {
    switch self {
    case .manifest(let document): document.json
    case .pin(let document): document.json
    case .photo(let document): document.json
    case .label(let document): document.json
    case .class(let document): document.json
    case .run(let document): document.json
    case .erasure(let document): document.json
    case .redaction(let document): document.json
    }
  }

  /// The bytes of the document in its only encoding.
  public var canonicalBytes: [UInt8] {
    if case .label(let label) = self { label.canonicalBytes } else { json.canonicalBytes }
  }
}
