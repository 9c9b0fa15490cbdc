internal import CairnBase
internal import CairnDocument
internal import CairnHTTP

/// An absolute `http` or `https` URL that is safe to request: URLs from sources may be hostile.
public struct WebLocation: Sendable, Hashable, CustomStringConvertible {
  /// The URL, encoded.
  public let text: String
  /// Includes the port if the URL has one; in lower case.
  package let host: String

  /// The maximum length of a URL, in bytes.
  static let length = 4096

  /// Parses a URL; nil unless it is an absolute http or https URL without user and password.
  /// Encodes spaces and non-ASCII characters, as browsers do.
  public init?(_ text: String) {
    let lower = text.lowercased()
    guard lower.hasPrefix("http://") || lower.hasPrefix("https://"),
      text.utf8.count <= WebLocation.length
    else { return nil }
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0..<0x20, 0x7F: return nil
      case 0x21...0x7E where !"\"<>\\^`{|}".utf8.contains(byte):
        if byte == UInt8(ascii: "#") {
          self.init(checked: encoded)
          return
        }
        encoded.append(Character(UnicodeScalar(byte)))
      default: encoded += PercentEncoding.encoded(byte)
      }
    }
    self.init(checked: encoded)
  }

  private init?(checked text: String) {
    let authority = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      .dropFirst(2).first?.prefix { $0 != "/" && $0 != "?" }
    guard let authority, !authority.isEmpty, !authority.contains("@"), authority.first != ":",
      !authority.contains("%")
    else { return nil }
    (self.text, host) = (text, authority.lowercased())
  }

  /// The last component of its path, decoded, as a file name; preceded by the component before it
  /// if the last one has no digits (`90004/large.jpg`); `photo` if there is none.
  var fileName: String {
    let path = text.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).map(String.init)
    var name = path.last ?? ""
    if path.count > 1, !name.contains(where: \.isNumber) {
      name = path[path.count - 2] + "-" + name
    }
    let scalars = name.percentDecoded.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: Character("_")
      default: scalar == "/" || scalar == "\\" ? Character("_") : Character(scalar)
      }
    }
    let text = String(String(scalars).drop { $0 == "." }).cut(toBytes: 120)
    return text.isEmpty ? "photo" : text
  }

  /// The URL without secrets, for messages.
  public var description: String { WebLocation.withoutSecrets(text) }

  /// Returns a URL with parameters appended, in the given order.
  static func query(_ base: String, _ parameters: [(String, String)]) -> String {
    let pairs = parameters.map {
      "\(PercentEncoding.encoded($0.0))=\(PercentEncoding.encoded($0.1))"
    }
    return base + (base.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
  }
}
