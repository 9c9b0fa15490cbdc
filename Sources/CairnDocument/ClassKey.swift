/// The stable key of a class: a slug of the name the class was first given.
///
/// Two devices that coin the same name coin the same key. Where the slug loses something of the
/// name (another script, an accent, a sign) it ends in a short hash of the whole name, so that
/// distinct names do not share a key.
public struct ClassKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let text: String

  static let maximumLength = 64

  /// Takes a key as it stands in a document; nil when it is not one.
  public init?(_ text: String) {
    guard Slug.isValid(text, length: ClassKey.maximumLength) else { return nil }
    self.text = text
  }

  /// Coins the key of a class called `name`; nil when the name has nothing to show.
  public init?(naming name: String) {
    guard let name = ClassKey.displayName(name) else { return nil }
    let normalised = Slug.normalised(name)
    if Slug.isValid(normalised, length: 48) {
      text = normalised
    } else if normalised.isEmpty {
      text = shortHash(name)
    } else {
      let slug = Slug.fold(normalised, length: 48)
      text = slug.isEmpty ? shortHash(normalised) : slug + "-" + shortHash(normalised)
    }
  }

  /// Returns `name` as it is shown, without white space around it; nil when that is not a name.
  public static func displayName(_ name: String) -> String? {
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
  package func trimmingSpaces() -> String {
    let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
    let end = scalars.lastIndex { !$0.properties.isWhitespace }
    return end.map { String(scalars[...$0]) } ?? ""
  }

  /// Returns as much of the text from its start as fits, and no half character (Unicode scalar).
  package func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return String(unicodeScalars[..<end])
  }
}
