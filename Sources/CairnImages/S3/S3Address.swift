internal import CairnBase
package import CairnTransport

/// The URL of an image store in a bucket: `s3://bucket/prefix?region=…&endpoint=…&profile=…`.
///
/// The dataset stores it for all to read, so it never contains a secret.
package struct S3Address: Sendable, Equatable, CustomStringConvertible {
  package let bucket: String
  /// The start of all object names, without a slash at either end; empty for none.
  package let prefix: String
  /// Such as `eu-west-1`; nil to use the environment's.
  package let region: String?
  /// A server with an S3 API; nil to use the environment's, otherwise Amazon's.
  package let endpoint: WebAddress?
  /// The profile of the shared AWS files that has the credentials.
  package let profile: String?

  /// The reason an address is invalid. It does not repeat what may be a secret.
  package struct Malformed: Error, Equatable {
    package let reason: String
  }

  package init(_ text: String) throws(Malformed) {
    let scheme = "s3://"
    guard text.utf8.count <= 2048, text.utf8.starts(with: scheme.utf8) else {
      throw Malformed(reason: "it does not begin with “s3://”, or is too long")
    }
    guard !text.unicodeScalars.contains(where: S3Address.isUnprintable) else {
      throw Malformed(reason: "it contains a control character")
    }
    let parts = text.unicodeScalars.dropFirst(scheme.utf8.count)
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = try S3Address.bucket(String(path[0]))
    prefix = path.count > 1 ? try S3Address.prefix(Substring(path[1])) : ""
    let options = parts.count > 1 ? try S3Address.options(Substring(parts[1])) : [:]
    region = try options["region"].map { (text) throws(Malformed) in try S3Address.region(text) }
    profile = try options["profile"].map { (text) throws(Malformed) in try S3Address.profile(text) }
    endpoint = try options["endpoint"].map { (text) throws(Malformed) in
      try S3Address.endpoint(text)
    }
  }

  package var description: String {
    let options = [
      endpoint.map { "endpoint=\($0)" }, profile.map { "profile=\($0)" },
      region.map { "region=\($0)" },
    ].compactMap { $0 }
    return "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)")
      + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }

  // MARK: Parts

  /// Source: Amazon S3 User Guide, “General purpose bucket naming rules”.
  private static func bucket(_ text: String) throws(Malformed) -> String {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = labels.count == 4 && labels.allSatisfy { $0.allSatisfy(isDigit) }
    let isName = labels.allSatisfy { label in
      label.allSatisfy { isDigit($0) || isLowerCase($0) || $0 == UInt8(ascii: "-") }
        && label.first.map { $0 != UInt8(ascii: "-") } == true
        && label.last.map { $0 != UInt8(ascii: "-") } == true
    }
    guard 3...63 ~= text.utf8.count, isName, !isNumber else {
      throw Malformed(
        reason: "“s3://” is not followed by the name of a bucket: 3 to 63 lowercase letters, "
          + "digits, hyphens and dots")
    }
    return text
  }

  private static func prefix(_ text: Substring) throws(Malformed) -> String {
    var components = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
    while components.last?.isEmpty == true { components.removeLast() }
    for component in components {
      guard !component.isEmpty, String(component) != ".", String(component) != ".." else {
        throw Malformed(reason: "its path has a component that is empty, “.” or “..”")
      }
      guard !component.contains(where: { "%#\\".unicodeScalars.contains($0) }) else {
        throw Malformed(
          reason: "its path contains “%”, “#” or “\\”; percent-encoding is not supported")
      }
    }
    let prefix = components.map(String.init).joined(separator: "/")
    guard prefix.utf8.count <= 512 else { throw Malformed(reason: "its path is too long") }
    return prefix
  }

  private static func options(_ text: Substring) throws(Malformed) -> [String: String] {
    var options: [String: String] = [:]
    for option in text.unicodeScalars.split(separator: "&") {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard ["region", "endpoint", "profile"].contains(name) else {
        throw Malformed(
          reason:
            "its only options are “region”, “endpoint” and “profile”: keys are read from the "
            + "environment or from the shared AWS files")
      }
      guard parts.count == 2, !parts[1].isEmpty, options[name] == nil else {
        throw Malformed(reason: "its option “\(name)” has no value, or is repeated")
      }
      guard let value = PercentEncoding.decoded(String(parts[1])) else {
        throw Malformed(reason: "the value of “\(name)” has invalid percent-encoding")
      }
      options[name] = value
    }
    return options
  }

  private static func region(_ text: String) throws(Malformed) -> String {
    guard isRegion(text) else { throw Malformed(reason: "its region is not a valid region name") }
    return text
  }

  private static func profile(_ text: String) throws(Malformed) -> String {
    guard 1...128 ~= text.utf8.count,
      text.utf8.allSatisfy({ isDigit($0) || isLowerCase($0 | 0x20) || "-_.@+:/".utf8.contains($0) })
    else { throw Malformed(reason: "its profile name is too long or has an unsupported character") }
    return text
  }

  /// Reads a server's address, which may have a path but nothing after it.
  static func endpoint(_ text: String) throws(Malformed) -> WebAddress {
    guard let address = WebAddress(text) else {
      throw Malformed(reason: "its endpoint is not an http or https address")
    }
    let isPlain = address.path.utf8.allSatisfy {
      isDigit($0) || isLowerCase($0 | 0x20) || "-_.~/".utf8.contains($0)
    }
    let components = address.path.split(separator: "/")
    guard address.user == nil, address.password == nil, isPlain,
      !components.contains("."), !components.contains("..")
    else { throw Malformed(reason: "its endpoint has a user, a query or an unsupported path") }
    return address
  }

  /// Whether a text can be a region, which becomes part of a host name.
  static func isRegion(_ text: String) -> Bool {
    1...63 ~= text.utf8.count
      && text.utf8.allSatisfy { isDigit($0) || isLowerCase($0) || $0 == UInt8(ascii: "-") }
  }

  // MARK: Characters

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isLowerCase(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
  }

  private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
