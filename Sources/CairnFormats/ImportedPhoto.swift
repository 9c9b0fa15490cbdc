package import CairnDocument
package import SystemPackage

/// A location in the files of an import.
public struct ImportedLocation: Equatable, Sendable, CustomStringConvertible {
  /// The path, relative to what is imported.
  public let file: String
  /// The line, counted from 1; nil when unknown.
  public let line: Int?

  package init(_ file: String, line: Int? = nil) { (self.file, self.line) = (file, line) }

  public var description: String { line.map { "\(file), line \($0)" } ?? file }
}

/// A label on a photo in an imported file.
package struct ImportedLabel: Equatable, Sendable {
  package var className: String
  package var isAbsent = false
  /// Between 0 and 1; nil when the file gives none.
  package var confidence: Double?
  package var box: ImportedBox?
  /// The outline of the object, whose bounds replace the box.
  package var outline: ImportedOutline?
  /// Whether the region holds a group of objects that are not outlined one by one.
  package var isCrowd = false
  /// The label's text.
  package var text: String?
  /// The model that made the label; empty when a model made it but the file does not name it.
  package var model: String?
  /// Whether the file attributes it to a person.
  package var isByPerson = false
  /// Whether the confidence is a score, as models give them.
  package var isScored = false
  /// The people who made the label. Each gets one; empty when the file names nobody.
  package var annotators: [ImportedAnnotator] = []
  /// When the label was last changed, in milliseconds since 1970; nil when the file does not say.
  package var time: Int64?

  package init(_ className: String, box: ImportedBox? = nil, confidence: Double? = nil) {
    (self.className, self.box, self.confidence) = (className, box, confidence)
  }

  /// The only person who made the label; nil when the file names nobody.
  package var annotator: ImportedAnnotator? {
    get { annotators.first }
    set { annotators = newValue.map { [$0] } ?? [] }
  }
}

/// Metadata of a photo in an imported file, apart from labels.
package struct ImportedMetadata: Hashable, Sendable {
  package var title: String?
  package var caption: String?
  /// The name of the original file.
  package var source: String?
  /// Texts by member name of ``Credit``.
  package var credit: [String: String] = [:]
  /// When the photo was taken, according to the file.
  package var taken: ReportedTime?
  /// Where the photo was taken, according to the file.
  package var place: ReportedLocation?
  package var pin: ImportedPin?

  package init() {}

  package var isEmpty: Bool { self == ImportedMetadata() }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(caption)
    hasher.combine(source)
    hasher.combine(credit)
    hasher.combine(taken)
    hasher.combine(place?.coordinate.latitude)
    hasher.combine(place?.coordinate.longitude)
    hasher.combine(pin)
  }
}

/// A photo referred to by an imported file, with its labels and metadata.
package struct ImportedPhoto: Sendable {
  /// The path or name of its file.
  package var file: String
  /// The directory in which ``file`` is looked for first: that of the imported file, if names are
  /// usually relative to it.
  package var directory: String?
  /// Other names that its file may have, in the order in which they are tried.
  package var otherFiles: [String] = []
  /// The original file name, when a program has renamed the file; otherwise nil. It is tried last.
  package var formerFile: String?
  /// What the imported file calls the photo, when ``file`` is only a part of it: an address, or the
  /// path of its label file.
  package var fullName: String?
  /// The size of its file in bytes, by which the imported file tells it from others of its name.
  package var byteCount: Int?
  /// The observation that the photo is of, after which its file may be named.
  package var observation: String?
  /// The path of a temporary file with the image, if it is inside an archive; it exists only while
  /// the photo is passed on.
  package var content: FilePath?
  /// The id given in the file.
  package var id: PhotoID?
  /// The size given in the file.
  package var extent: PixelExtent?
  package var metadata = ImportedMetadata()
  /// Whether the metadata were passed on with earlier labels.
  package var hasReportedMetadata = false
  package var labels: [ImportedLabel]
  package var location: ImportedLocation

  package init(
    _ file: String, id: PhotoID? = nil, extent: PixelExtent? = nil, labels: [ImportedLabel] = [],
    location: ImportedLocation
  ) {
    (self.file, self.id, self.extent) = (file, id, extent)
    (self.labels, self.location) = (labels, location)
  }

  /// The names that its file may have, in the order in which they are tried.
  package var names: [String] {
    var names = otherFiles
    if let directory, !directory.isEmpty, !file.isAbsolutePath {
      names.insert("\(directory)/\(file)", at: 0)
      names.append(file)
    } else {
      names.insert(file, at: 0)
    }
    if let formerFile { names.append(formerFile) }
    return names
  }

  /// The name by which the imported file tells the photo from others.
  package var wholeName: String { fullName ?? names[0] }
}

extension String {
  /// Whether it is an absolute path, perhaps of Windows.
  var isAbsolutePath: Bool {
    let rest = dropFirst()
    return hasPrefix("/") || hasPrefix("\\") || rest.hasPrefix(":/") || rest.hasPrefix(":\\")
  }
}

/// A pin in an imported file.
package struct ImportedPin: Sendable {
  package var id: PinID?
  package var coordinate: Coordinate
  package var name: String
  package var location: ImportedLocation
}

extension ImportedPin: Hashable {
  /// Returns whether two pins are equal, regardless of where they are in the file.
  package static func == (a: ImportedPin, b: ImportedPin) -> Bool {
    (a.id, a.name) == (b.id, b.name) && a.coordinate == b.coordinate
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(coordinate.latitude)
    hasher.combine(coordinate.longitude)
  }
}

/// An item produced by a reader.
package enum ImportedItem: Sendable {
  case photo(ImportedPhoto)
  case pin(ImportedPin)
  /// An error in the file, or data that cannot be imported.
  case problem(ImportedLocation, String)
  /// A note about ignored data that do not concern labels.
  case note(String)
}
