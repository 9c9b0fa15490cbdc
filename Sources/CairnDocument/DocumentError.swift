/// Why some bytes are not a document, in words for the person who wrote them.
public struct DocumentError: Error, Equatable, Sendable {
  public enum Kind: Sendable {
    /// Not JSON.
    case syntax
    /// JSON, but not what the schema of its kind asks for.
    case schema
    /// A merge by another tool left its conflict markers in the text.
    case conflictMarkers
    /// Larger or deeper than a document may be.
    case tooLarge
    /// Written by a later version of the format.
    case newerFormat
  }

  public let kind: Kind
  /// A sentence without its full stop, such as “expected a string for "name"”.
  public let message: String
  /// The line it was found on, counted from 1, where one is known.
  public let line: Int?

  public init(_ kind: Kind, _ message: String, line: Int? = nil) {
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

/// Bounds on what is read: documents come from other people's machines.
public enum DocumentLimit {
  /// The largest document, in bytes.
  public static let size = 1 << 20
  /// The deepest nesting of arrays and objects.
  public static let depth = 32
  /// The longest annotator, in UTF-8 bytes.
  public static let annotatorLength = 256
  /// The longest name, title or caption, in UTF-8 bytes.
  public static let textLength = 16 << 10
}
