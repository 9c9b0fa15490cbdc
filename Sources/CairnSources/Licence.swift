/// What may be done with a photo, in the kinds that people choose by.
public enum LicenceKind: String, Sendable, CaseIterable {
  case cc0
  /// In the public domain: the Public Domain Mark, or said in other words.
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

  /// Those that let a photo be copied and shown to others.
  public static let open = Set(allCases).subtracting([.allRightsReserved])

  /// The words that Creative Commons has for it, such as `by-nc-sa`; nil for what is not its own.
  var ccCode: String? {
    switch self {
    case .by, .bySA, .byND, .byNC, .byNCSA, .byNCND: String(rawValue.dropFirst(3))
    default: nil
    }
  }

  /// Reads a kind as services and people write it: `by-sa`, `CC BY-SA`, `cc-by-sa-4.0`.
  public init?(_ text: String) {
    var words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    if words.first == "cc" { words.removeFirst() }
    // What is left after the words is a version, or a country's port of one.
    let known = words.prefix { ["by", "nc", "nd", "sa"].contains($0) }
    let code = known.joined(separator: "-")
    switch words.first {
    case "by":
      guard let kind = LicenceKind(rawValue: "cc-" + code) else { return nil }
      self = kind
    case "cc0", "zero", "0": self = .cc0
    case "pd", "pdm", "publicdomain": self = .pdm
    case "public" where words.dropFirst().first == "domain": self = .pdm
    default:
      guard let kind = LicenceKind(rawValue: text.lowercased()) else { return nil }
      self = kind
    }
  }
}

/// The licence of one photo.
public struct Licence: Sendable, Equatable {
  /// Nil for one that is none of the kinds, such as the GFDL.
  public var kind: LicenceKind?
  /// As people name it, with its version: “CC BY-SA 4.0”.
  public var name: String?
  public var url: String?

  /// Makes a licence of its kind and version.
  ///
  /// - Parameter version: Such as `4.0`; nil where it is not known.
  public init(_ kind: LicenceKind, version: String? = nil) {
    self.kind = kind
    let version = version.flatMap { Licence.isVersion($0) ? $0 : nil }
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

  /// Makes a licence of what a service says of it; nil when it says nothing.
  init?(name: String?, code: String?, url: String?) {
    let name = SourceText.line(name)
    self.url = url.flatMap { WebLocation($0)?.text }
    kind = [code, name].compactMap { $0.flatMap { LicenceKind($0) } }.first
    self.name = name ?? SourceText.line(code)
    if self.name == nil, self.url == nil { return nil }
  }

  /// What a credit says: its name, or else its address.
  public var text: String? { name ?? url }

  private static func isVersion(_ text: String) -> Bool {
    text.utf8.count <= 8 && text.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
  }
}
