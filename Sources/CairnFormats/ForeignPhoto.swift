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

/// A box as a foreign file has it, from the top left corner.
public enum ForeignBox: Equatable, Sendable {
  case fractions(x: Double, y: Double, width: Double, height: Double)
  /// Of an image whose size the file gives, or does not.
  case pixels(x: Double, y: Double, width: Double, height: Double, image: PixelExtent?)
}

/// The size of an image, in pixels.
public struct PixelExtent: Equatable, Sendable {
  public let width: Double
  public let height: Double

  /// Makes a size; nil unless an image can have it.
  public init?(width: Double?, height: Double?) {
    guard let width, let height, 1...1e6 ~= width, 1...1e6 ~= height else { return nil }
    (self.width, self.height) = (width, height)
  }
}

extension ForeignBox {
  /// How far a box may lie outside of its image, as rounding leaves it.
  private static let tolerance = 0.01

  /// Returns the box in fractions of its image, cut to it; nil when it has no area there.
  public func fractions(of image: ImageFacts) -> (
    x: Double, y: Double, width: Double, height: Double
  )? {
    let (left, top, wide, high): (Double, Double, Double, Double)
    switch self {
    case .fractions(let x, let y, let width, let height):
      (left, top, wide, high) = (x, y, width, height)
    case .pixels(let x, let y, let width, let height, let extent):
      let across = extent?.width ?? Double(image.width)
      let down = extent?.height ?? Double(image.height)
      (left, top, wide, high) = (x / across, y / down, width / across, height / down)
    }
    let limits = -ForeignBox.tolerance...1 + ForeignBox.tolerance
    guard [left, top, left + wide, top + high].allSatisfy({ limits ~= $0 }) else { return nil }
    // What was written in pixels comes back with the noise of a division. Edges are cut, so that the far
    // ones stay where they are.
    func rounded(_ value: Double) -> Double { (min(max(value, 0), 1) * 1e9).rounded() / 1e9 }
    let (x, y) = (rounded(left), rounded(top))
    let (width, height) = (rounded(left + wide) - x, rounded(top + high) - y)
    return width > 0 && height > 0 ? (x, y, width, height) : nil
  }
}

/// A statement about a photo, as a foreign file has it.
public struct ForeignLabel: Equatable, Sendable {
  public var className: String
  public var isAbsent = false
  /// Between 0 and 1; nil where the file gives none.
  public var confidence: Double?
  public var box: ForeignBox?
  /// The model that the file says it is of; empty where it is a model's and none is named.
  public var model: String?
  /// Whether the file says that it is a person's.
  public var isPersons = false

  public init(_ className: String, box: ForeignBox? = nil, confidence: Double? = nil) {
    (self.className, self.box, self.confidence) = (className, box, confidence)
  }
}

/// A photo that a foreign file names, with what it says of it.
public struct ForeignPhoto: Sendable {
  /// The path or name of its file.
  public var file: String
  /// The id that the file gives it.
  public var id: PhotoID?
  public var labels: [ForeignLabel]
  public var place: ForeignPlace

  public init(
    _ file: String, id: PhotoID? = nil, labels: [ForeignLabel] = [], place: ForeignPlace
  ) {
    (self.file, self.id, self.labels, self.place) = (file, id, labels, place)
  }
}

/// A place that a foreign file names.
public struct ForeignPin: Sendable {
  public var id: PinID?
  public var location: Coordinate
  public var name: String
  public var place: ForeignPlace
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
