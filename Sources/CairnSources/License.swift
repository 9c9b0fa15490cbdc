/// A kind of license, as used for filtering.
public enum LicenseKind: String, Sendable, CaseIterable {
  /// Creative Commons Zero.
  case cc0
  /// In the public domain: the Public Domain Mark, or an equivalent statement.
  case pdm
  case by = "cc-by"
  case bySA = "cc-by-sa"
  case byND = "cc-by-nd"
  case byNC = "cc-by-nc"
  case byNCSA = "cc-by-nc-sa"
  case byNCND = "cc-by-nc-nd"
  case usGov = "us-gov"
  case noKnownRestrictions = "no-known-restrictions"
  case allRightsReserved = "all-rights-reserved"

  /// The kinds that permit copying and sharing a photo.
  package static let open = Set(allCases).subtracting([.allRightsReserved])

  /// The code of a Creative Commons license, such as `by-nc-sa`; nil for other licenses.
  var ccCode: String? {
    switch self {
    case .by, .bySA, .byND, .byNC, .byNCSA, .byNCND: String(rawValue.dropFirst(3))
    default: nil
    }
  }

  /// Parses a kind as services and people write it: `by-sa`, `CC BY-SA`, `cc-by-sa-4.0`.
  public init?(_ text: String) {
    var words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    if words.first == "cc" { words.removeFirst() }
    // The remaining words are a version or a country code.
    let known = words.prefix { ["by", "nc", "nd", "sa"].contains($0) }
    let code = known.joined(separator: "-")
    switch words.first {
    case "by":
      guard let kind = LicenseKind(rawValue: "cc-" + code) else { return nil }
      self = kind
    case "cc0", "zero", "0": self = .cc0
    case "pd", "pdm", "publicdomain": self = .pdm
    case "public" where words.dropFirst().first == "domain": self = .pdm
    default:
      guard let kind = LicenseKind(rawValue: text.lowercased()) else { return nil }
      self = kind
    }
  }
}

/// The license of one photo.
package struct License: Sendable, Equatable {
  /// Nil for a license of no known kind, such as the GFDL.
  package var kind: LicenseKind?
  /// The usual name, with its version: “CC BY-SA 4.0”.
  package var name: String?
  /// The URL of its text.
  package var url: String?

  /// Creates a license from its kind and version.
  ///
  /// - Parameter version: A version such as `4.0`; nil if unknown.
  package init(_ kind: LicenseKind, version: String? = nil) {
    self.kind = kind
    let version = version.flatMap { License.isVersion($0) ? $0 : nil }
    switch kind {
    case .cc0:
      (name, url) = ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")
    case .pdm:
      (name, url) = ("Public domain", "https://creativecommons.org/publicdomain/mark/1.0/")
    case .usGov:
      (name, url) = ("United States government work", "https://www.usa.gov/copyright.shtml")
    case .noKnownRestrictions:
      (name, url) = (
        "No known copyright restrictions", "https://www.flickr.com/commons/usage/"
      )
    case .allRightsReserved: name = "All rights reserved"
    case .by, .bySA, .byND, .byNC, .byNCSA, .byNCND:
      let code = kind.ccCode ?? ""
      name = "CC \(code.uppercased())" + (version.map { " \($0)" } ?? "")
      url = version.map { "https://creativecommons.org/licenses/\(code)/\($0)/" }
    }
  }

  /// Creates a license from a service's response; nil when the response has none.
  init?(name: String?, code: String?, url: String?) {
    let name = SourceText.line(name)
    self.url = url.flatMap { WebLocation($0)?.text }
    kind = [code, name].compactMap { $0.flatMap { LicenseKind($0) } }.first
    self.name = name ?? SourceText.line(code)
    if self.name == nil, self.url == nil { return nil }
  }

  /// The text for a credit: the name, otherwise the URL.
  package var text: String? { name ?? url }

  private static func isVersion(_ text: String) -> Bool {
    text.utf8.count <= 8 && text.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
  }
}
