/// The stable key of a class: a slug of the name the class was first given.
///
/// Two devices that create a class of the same name create the same key. If the slug loses part of
/// the name (another script, an accent, a sign), it ends in a short hash of the whole name, so that
/// distinct names do not share a key.
public struct ClassKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The key as text.
  public let text: String

  static let maximumLength = 64

  /// Parses a key; nil if the text is not one.
  public init?(_ text: String) {
    guard Slug.isValid(text, length: ClassKey.maximumLength) else { return nil }
    self.text = text
  }

  /// Creates the key of a class called `name`; nil if the name has nothing visible.
  public init?(naming name: String) {
    guard let name = ClassKey.displayName(name) else { return nil }
    let normalized = Slug.normalized(name)
    if Slug.isValid(normalized, length: 48) {
      text = normalized
    } else if normalized.isEmpty {
      text = shortHash(name)
    } else {
      let slug = Slug.fold(normalized, length: 48)
      text = slug.isEmpty ? shortHash(normalized) : slug + "-" + shortHash(normalized)
    }
  }

  /// Returns `name` for display, without surrounding white space; nil if it is not a name.
  package static func displayName(_ name: String) -> String? {
    let trimmed = name.trimmingSpaces()
    let isVisible = trimmed.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return trimmed.isEmpty || !isVisible || trimmed.utf8.count > DocumentLimit.annotatorLength
      ? nil : trimmed
  }

  public var description: String { text }

  public static func < (a: ClassKey, b: ClassKey) -> Bool { a.text < b.text }
}

extension String {
  /// Returns this text without white space at either end.
  public func trimmingSpaces() -> String {
    let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
    let end = scalars.lastIndex { !$0.properties.isWhitespace }
    return end.map { String(scalars[...$0]) } ?? ""
  }

  /// Returns the longest prefix that fits, without splitting a Unicode scalar.
  package func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return String(unicodeScalars[..<end])
  }
}
