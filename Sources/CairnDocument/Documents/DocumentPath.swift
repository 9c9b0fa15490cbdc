/// The kinds of documents, by the name recorded in each document.
public enum DocumentKind: String, Sendable, CaseIterable {
  case dataset, pin, photo, label, `class`, run, erasure, redaction

  /// Whether a document of this kind is restored when a commit deletes it.
  package var isPermanent: Bool { self == .erasure || self == .redaction }
}

/// The path of a document, an image or a trained model, relative to the top of the dataset.
///
/// Directories fan out by the first digits of ids, so that none of them grows large.
public enum DocumentPath: Hashable, Sendable {
  case manifest
  case pin(PinID)
  case photo(PhotoID)
  case label(PhotoID, LabelName)
  case `class`(ClassKey)
  case run(RunID)
  case erasure(PhotoID)
  case redaction(Redaction.Subject)
  case image(PhotoID, ImageFormat)
  /// A model that `cairn train` made, by the SHA-256 of its file. Like an image, it is a blob, of
  /// which git has the pointer.
  case model(PhotoID)

  /// The directories and files at the top of a dataset that belong to it.
  package static let topLevel = [
    "cairn.json", "classes", "erasures", "images", "labels", "photos", "pins", "runs",
  ]

  /// The kinds of documents below the names at the top.
  package static let kinds: [String: DocumentKind] = [
    "cairn.json": .dataset, "classes": .class, "erasures": .erasure, "labels": .label,
    "photos": .photo, "pins": .pin, "runs": .run,
  ]

  /// Returns the directory of one photo's labels.
  package static func labels(of photo: PhotoID) -> String { "labels/" + fanoutPath(photo) }

  /// Returns the directory of documents of photos with ids that begin with `prefix` (4 digits or
  /// more).
  package static func photos(startingWith prefix: String) -> String {
    "photos/\(prefix.prefix(2))/\(prefix.dropFirst(2).prefix(2))"
  }

  /// The photo of a document or an image.
  public var photo: PhotoID? {
    switch self {
    case .photo(let id), .label(let id, _), .image(let id, _), .erasure(let id),
      .redaction(.photo(let id)):
      id
    case .manifest, .pin, .class, .run, .redaction(.person), .model: nil
    }
  }

  /// The id of the image or the model to which git has a pointer at this path; nil for a document.
  package var blob: PhotoID? {
    switch self {
    case .image(let id, _), .model(let id): id
    default: nil
    }
  }

  /// The kind of the document at this path; nil for an image and a model.
  public var kind: DocumentKind? {
    switch self {
    case .manifest: .dataset
    case .pin: .pin
    case .photo: .photo
    case .label: .label
    case .class: .class
    case .run: .run
    case .erasure: .erasure
    case .redaction: .redaction
    case .image, .model: nil
    }
  }
}

extension DocumentPath: CustomStringConvertible {
  public var description: String {
    switch self {
    case .manifest: "cairn.json"
    case .pin(let id): "pins/\(id.text.prefix(2))/\(id).json"
    case .photo(let id): "photos/\(DocumentPath.fanoutPath(id)).json"
    case .label(let photo, let name): "\(DocumentPath.labels(of: photo))/\(name).json"
    case .class(let key): "classes/\(key).json"
    case .run(let id): "runs/\(id.text.prefix(2))/\(id).json"
    case .erasure(let id): "erasures/\(id.description.prefix(2))/\(id).json"
    case .redaction(.photo(let id)): "erasures/photos/\(id.description.prefix(2))/\(id).json"
    case .redaction(.person(let id)): "erasures/people/\(id.text.prefix(2))/\(id).json"
    case .image(let id, let format): "images/\(DocumentPath.fanoutPath(id)).\(format.fileExtension)"
    case .model(let id): "images/\(DocumentPath.fanoutPath(id)).onnx"
    }
  }

  private static func fanoutPath(_ photo: PhotoID) -> String {
    let id = photo.description
    return "\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
  }

  /// Appends the path of a label, as in ``description``, without creating a string.
  ///
  /// - Parameter tag: The tag of its annotator.
  package static func appendLabel(_ label: Label, tag: String, to path: inout [UInt8]) {
    path.append(contentsOf: "labels/".utf8)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { id in
      label.photo.write(into: id)
      path.append(contentsOf: id[..<2])
      path.append(UInt8(ascii: "/"))
      path.append(contentsOf: id[2..<4])
      path.append(UInt8(ascii: "/"))
      path.append(contentsOf: id)
    }
    path.append(UInt8(ascii: "/"))
    path.append(contentsOf: label.classKey.text.utf8)
    path.append(UInt8(ascii: "~"))
    path.append(contentsOf: tag.utf8)
    if let region = label.region {
      path.append(UInt8(ascii: "~"))
      path.append(contentsOf: region.id.text.utf8)
    }
    path.append(contentsOf: ".json".utf8)
  }

  /// Parses a path; nil if it is not exactly the path of a document, an image or a model.
  public init?(_ text: String) {
    // By bytes, not by characters: a large dataset has a million paths.
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard let file = parts.last, let dot = file.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return nil
    }
    let stem = String(file[..<dot])
    let suffix = file[file.utf8.index(after: dot)...]
    let path: DocumentPath? =
      switch (parts[0], parts.count, suffix) {
      case ("cairn.json", 1, _): .manifest
      case ("pins", 3, "json"): PinID(stem).map(DocumentPath.pin)
      case ("photos", 4, "json"): PhotoID(stem).map(DocumentPath.photo)
      case ("labels", 5, "json"):
        PhotoID(String(parts[3])).flatMap { photo in
          LabelName(stem).map { .label(photo, $0) }
        }
      case ("classes", 2, "json"): ClassKey(stem).map(DocumentPath.class)
      case ("runs", 3, "json"): RunID(stem).map(DocumentPath.run)
      case ("erasures", 3, "json"): PhotoID(stem).map(DocumentPath.erasure)
      case ("erasures", 4, "json"):
        PhotoID(stem).map { .redaction(.photo($0)) }
          ?? ErasedPersonID(stem).map { .redaction(.person($0)) }
      case ("images", 4, "onnx"): PhotoID(stem).map(DocumentPath.model)
      case ("images", 4, _):
        PhotoID(stem).flatMap { id in
          ImageFormat(fileExtension: String(suffix)).map { .image(id, $0) }
        }
      default: nil
      }
    guard let path, path.description.hasSameUTF8(as: text) else { return nil }
    self = path
  }
}
