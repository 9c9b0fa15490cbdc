public import CairnDocument

/// A location in the files of an import.
public struct ImportedLocation: Equatable, Sendable, CustomStringConvertible {
  /// The path, relative to what is imported.
  public let file: String
  /// The line, counted from 1; nil when unknown.
  public let line: Int?

  public init(_ file: String, line: Int? = nil) { (self.file, self.line) = (file, line) }

  public var description: String { line.map { "\(file), line \($0)" } ?? file }
}

/// A label on a photo in an imported file.
public struct ImportedLabel: Equatable, Sendable {
  public var className: String
  public var isAbsent = false
  /// Between 0 and 1; nil when the file gives none.
  public var confidence: Double?
  public var box: ImportedBox?
  /// The label's text.
  public var text: String?
  /// The model that made the label; empty when a model made it but the file does not name it.
  public var model: String?
  /// Whether the file attributes it to a person.
  public var isPersons = false
  /// Whether the confidence is a score, as models give them.
  public var isScored = false

  public init(_ className: String, box: ImportedBox? = nil, confidence: Double? = nil) {
    (self.className, self.box, self.confidence) = (className, box, confidence)
  }
}

/// Metadata of a photo in an imported file, apart from labels.
public struct ImportedMetadata: Hashable, Sendable {
  public var title: String?
  public var caption: String?
  /// The name of the original file.
  public var source: String?
  /// Texts by member name of ``Credit``.
  public var credit: [String: String] = [:]
  public var pin: ImportedPin?

  public init() {}

  public var isEmpty: Bool { self == ImportedMetadata() }
}

/// A photo referred to by an imported file, with its labels and metadata.
public struct ImportedPhoto: Sendable {
  /// The path or name of its file.
  public var file: String
  /// The original file name, when a program has renamed the file; otherwise nil.
  public var formerFile: String?
  /// The id given in the file.
  public var id: PhotoID?
  /// The size given in the file.
  public var extent: PixelExtent?
  public var metadata = ImportedMetadata()
  /// Whether the metadata were passed on with earlier labels.
  public var hasReportedMetadata = false
  public var labels: [ImportedLabel]
  public var location: ImportedLocation

  public init(
    _ file: String, id: PhotoID? = nil, extent: PixelExtent? = nil, labels: [ImportedLabel] = [],
    location: ImportedLocation
  ) {
    (self.file, self.id, self.extent) = (file, id, extent)
    (self.labels, self.location) = (labels, location)
  }
}

/// A pin in an imported file.
public struct ImportedPin: Sendable {
  public var id: PinID?
  public var coordinate: Coordinate
  public var name: String
  public var location: ImportedLocation
}

extension ImportedPin: Hashable {
  /// Returns whether two pins are equal, regardless of where they are in the file.
  public static func == (a: ImportedPin, b: ImportedPin) -> Bool {
    (a.id, a.name) == (b.id, b.name) && a.coordinate == b.coordinate
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(coordinate.latitude)
    hasher.combine(coordinate.longitude)
  }
}

/// An item produced by a reader.
public enum ImportedItem: Sendable {
  case photo(ImportedPhoto)
  case pin(ImportedPin)
  /// An error in the file, or data that cannot be imported.
  case problem(ImportedLocation, String)
  /// A note about ignored data that do not concern labels.
  case note(String)
}
