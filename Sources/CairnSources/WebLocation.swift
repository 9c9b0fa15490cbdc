internal import CairnDocument
internal import CairnFiles
internal import CairnHTTP

/// The address of something on the web, `http` or `https`, that may be asked for: what a source names
/// may be hostile.
public struct WebLocation: Sendable, Hashable, CustomStringConvertible {
  public let text: String
  /// With the port where one is named, in lower case.
  public let host: String

  /// The longest address, in bytes.
  static let length = 4096

  /// Reads an address; nil unless it is an absolute one of the web, without user and password. Spaces
  /// and what is not ASCII are encoded, as browsers do.
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
      default: encoded += WebLocation.escape(byte)
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

  /// The last part of its path, decoded, as a name for a file, with the part before where the last tells
  /// nothing apart (`90004/large.jpg`); `photo` where there is none.
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

  /// As it may be told: without what lets in whoever has it.
  public var description: String { WebLocation.withoutSecrets(text) }

  /// Returns an address with parameters, each sorted in as it is given.
  static func query(_ base: String, _ parameters: [(String, String)]) -> String {
    let pairs = parameters.map { "\(encoded($0.0))=\(encoded($0.1))" }
    return base + (base.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
  }

  /// Returns text with everything encoded that could mean something in an address.
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { out, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.append(Character(UnicodeScalar(byte)))
      default: out += escape(byte)
      }
    }
  }

  private static func escape(_ byte: UInt8) -> String {
    let hex = String(byte, radix: 16, uppercase: true)
    return "%" + (hex.count < 2 ? "0" : "") + hex
  }
}
