public import CairnDocument

/// Where something stands in the files of an import.
public struct ForeignPlace: Equatable, Sendable, CustomStringConvertible {
  /// Relative to what is imported.
  public let file: String
  /// Counted from 1, where it is known.
  public let line: Int?

  public init(_ file: String, line: Int? = nil) { (self.file, self.line) = (file, line) }

  public var description: String { line.map { "\(file), line \($0)" } ?? file }
}

/// A statement about a photo, as a foreign file has it.
public struct ForeignLabel: Equatable, Sendable {
  public var className: String
  public var isAbsent = false
  /// Between 0 and 1; nil where the file gives none.
  public var confidence: Double?
  public var box: ForeignBox?
  /// What it says in words.
  public var text: String?
  /// The model that the file says it is of; empty where it is a model's and none is named.
  public var model: String?
  /// Whether the file says that it is a person's.
  public var isPersons = false
  /// Whether the confidence is a score, as models give them.
  public var isScored = false

  public init(_ className: String, box: ForeignBox? = nil, confidence: Double? = nil) {
    (self.className, self.box, self.confidence) = (className, box, confidence)
  }
}

/// What a foreign file says of a photo apart from labels.
public struct ForeignAbout: Hashable, Sendable {
  public var title: String?
  public var caption: String?
  /// The name of the file that it once was.
  public var source: String?
  /// Members as ``Credit`` has them, with their texts.
  public var credit: [String: String] = [:]
  public var pin: ForeignPin?

  public init() {}

  public var isEmpty: Bool { self == ForeignAbout() }
}

/// A photo that a foreign file names, with what it says of it.
public struct ForeignPhoto: Sendable {
  /// The path or name of its file.
  public var file: String
  /// What the file was called before a program gave it a name of its own; nil where there is no such.
  public var formerFile: String?
  /// The id that the file gives it.
  public var id: PhotoID?
  /// The size that the file gives it.
  public var extent: PixelExtent?
  public var about = ForeignAbout()
  /// Whether all that there is to say about it was said with labels that came before.
  public var isAboutSaid = false
  public var labels: [ForeignLabel]
  public var place: ForeignPlace

  public init(
    _ file: String, id: PhotoID? = nil, extent: PixelExtent? = nil, labels: [ForeignLabel] = [],
    place: ForeignPlace
  ) {
    (self.file, self.id, self.extent) = (file, id, extent)
    (self.labels, self.place) = (labels, place)
  }
}

/// A place that a foreign file names.
public struct ForeignPin: Sendable {
  public var id: PinID?
  public var location: Coordinate
  public var name: String
  public var place: ForeignPlace
}

extension ForeignPin: Hashable {
  /// Wherever it stands.
  public static func == (a: ForeignPin, b: ForeignPin) -> Bool {
    (a.id, a.name) == (b.id, b.name) && a.location == b.location
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(location.latitude)
    hasher.combine(location.longitude)
  }
}

/// What a reader finds.
public enum ForeignItem: Sendable {
  case photo(ForeignPhoto)
  case pin(ForeignPin)
  /// Something that is wrong, or that cannot be taken in.
  case problem(ForeignPlace, String)
  /// Something that is left alone, which says nothing of labels.
  case note(String)
}
