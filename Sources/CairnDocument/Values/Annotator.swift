/// The person or model that labels: a person by the address of their git identity.
///
/// Text form: `human:alice@example.org`, `model:resnet50@2026-01`.
public struct Annotator: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  private static let human = "human:"
  private static let model = "model:"

  /// Parses `human:ADDRESS` or `model:NAME@VERSION`; nil if it is neither.
  public init?(_ text: String) {
    guard text.utf8.count <= DocumentLimit.annotatorLength,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    description = text
    guard isHuman ? text.utf8.count > Annotator.human.utf8.count : isModel else { return nil }
  }

  /// Whether this is a model with a name and a version.
  private var isModel: Bool {
    guard description.utf8.starts(with: Annotator.model.utf8) else { return false }
    let text = description.utf8.dropFirst(Annotator.model.utf8.count)
    guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
    return at > text.startIndex && text.index(after: at) < text.endIndex
  }

  /// Creates the annotator of a git identity: addresses are case-insensitive.
  public init?(email: String) { self.init(Annotator.human + email.trimmingSpaces().lowercased()) }

  /// Creates the annotator of a model written as `NAME@VERSION`, split at the last “@”.
  public init?(model text: String) { self.init(Annotator.model + text) }

  /// Whether it is a person.
  public var isHuman: Bool { description.utf8.starts(with: Annotator.human.utf8) }

  /// The name and version of a model; nil for a person.
  public var model: (name: String, version: String)? {
    guard description.utf8.starts(with: Annotator.model.utf8) else { return nil }
    let text = identity.unicodeScalars
    guard let at = text.lastIndex(of: "@") else { return nil }
    let (name, version) = (text[..<at], text[text.index(after: at)...])
    return name.isEmpty || version.isEmpty ? nil : (String(name), String(version))
  }

  /// The part after the kind: an address, or `NAME@VERSION`.
  public var identity: String {
    // By scalars: a combining mark after the colon makes it another Character.
    let scalars = description.unicodeScalars
    guard let colon = scalars.firstIndex(of: ":") else { return description }
    return String(scalars[scalars.index(after: colon)...])
  }

  /// The annotator's part of file names: a readable slug, and a hash for uniqueness.
  package var tag: String {
    let readable =
      model.map { "\($0.name)-\($0.version)" }
      ?? String(identity.unicodeScalars.prefix { $0 != "@" })
    let slug = Slug.fold(readable, length: 24)
    return slug.isEmpty ? shortHash(description) : slug + "-" + shortHash(description)
  }
}

// By bytes, like the tag: String's own equality would merge two encodings of “é” into one
// annotator.
extension Annotator: Comparable {
  public static func == (a: Annotator, b: Annotator) -> Bool {
    a.description.hasSameUTF8(as: b.description)
  }

  public static func < (a: Annotator, b: Annotator) -> Bool {
    a.description.precedesInUTF8(b.description)
  }
}
