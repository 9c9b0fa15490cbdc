/// The reason that some bytes are not a valid document, as text for the person who wrote them.
public struct DocumentError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Kind: Sendable {
    /// Not JSON.
    case syntax
    /// JSON that does not match the schema of its kind.
    case schema
    /// Conflict markers that another tool's merge left in the text.
    case conflictMarkers
    /// Larger or deeper than a document may be.
    case tooLarge
    /// Written by a later version of the format.
    case newerFormat
  }

  /// What is wrong.
  public let kind: Kind
  /// A sentence without its period, such as “expected a string for "name"”.
  public let message: String
  /// The line of the error, counted from 1, if known.
  public let line: Int?

  /// Creates an error.
  ///
  /// - Parameter line: Counted from 1; nil if it is unknown.
  package init(_ kind: Kind, _ message: String, line: Int? = nil) {
    self.kind = kind
    self.message = message
    self.line = line
  }

  static func schema(_ message: String) -> DocumentError { DocumentError(.schema, message) }
}

extension DocumentError: CustomStringConvertible {
  public var description: String {
    if let line { "line \(line): \(message)" } else { message }
  }
}

/// Limits on input: documents come from other people's machines.
public enum DocumentLimit {
  /// The largest document, in bytes.
  public static let size = 1 << 20
  /// The deepest nesting of arrays and objects.
  package static let depth = 32
  /// The longest annotator, in UTF-8 bytes.
  package static let annotatorLength = 256
  /// The longest name, title or caption, in UTF-8 bytes.
  package static let textLength = 16 << 10
  /// The largest number of points in the polygons of a region.
  package static let polygonPoints = 10_000
}
