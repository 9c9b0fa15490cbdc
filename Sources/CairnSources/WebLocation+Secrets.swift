internal import CairnBase

extension WebLocation {
  /// Returns a URL without secrets: user and password, and parameters that are signatures, tokens
  /// or keys. Everything else is unchanged.
  public static func withoutSecrets(_ address: String) -> String {
    without(withoutUser(address)) { isOfSignature($0) || secretNames.contains($0) }
  }

  /// Returns a URL without the parameters that only sign it, so that it is the same however often
  /// it is signed.
  ///
  /// Source: AWS, “Authenticating Requests: Using Query Parameters”; Google Cloud Storage, “Signed
  /// URLs”; Azure, “Create a service SAS”; CloudFront, “Use signed URLs”.
  static func withoutSignature(_ address: String) -> String {
    without(address, isOfSignature)
  }

  private static func withoutUser(_ address: String) -> String {
    guard let scheme = address.firstRange(of: "://") else { return address }
    let authority = address[scheme.upperBound...].prefix { !"/?#".contains($0) }
    guard let mark = authority.lastIndex(of: "@") else { return address }
    return String(address[..<scheme.upperBound]) + address[address.index(after: mark)...]
  }

  private static func without(_ address: String, _ isLeftOut: (String) -> Bool) -> String {
    guard let mark = address.firstIndex(of: "?") else { return address }
    let end = address[mark...].firstIndex(of: "#") ?? address.endIndex
    let all = address[address.index(after: mark)..<end]
      .split(separator: "&", omittingEmptySubsequences: false)
    let left = all.filter { parameter in
      let name = String(parameter.prefix { $0 != "=" }).percentDecoded.lowercased()
      return !isLeftOut(name.filter { $0 != "-" && $0 != "_" })
    }
    if left.count == all.count { return address }
    let query = left.isEmpty ? "" : "?" + left.joined(separator: "&")
    return String(address[..<mark]) + query + String(address[end...])
  }

  private static func isOfSignature(_ name: String) -> Bool {
    signaturePrefixes.contains { name.hasPrefix($0) } || signatureNames.contains(name)
  }

  // All in lower case, without hyphens and underscores.
  private static let signaturePrefixes = ["xamz", "xgoog", "xoss", "xcos"]
  private static let signatureNames: Set<String> = [
    "awsaccesskeyid", "googleaccessid", "hdnea", "hdnts", "hmac", "keypairid", "ossaccesskeyid",
    "sig",
    "signature",
  ]
  private static let secretNames: Set<String> = [
    "accesskey", "accesskeyid", "accesstoken", "apikey", "appkey", "auth", "authkey",
    "authorization",
    "authtoken", "clientsecret", "credential", "credentials", "idtoken", "jwt", "key",
    "oauthsignature",
    "oauthtoken", "passwd", "password", "policy", "pwd", "refreshtoken", "secret", "securitytoken",
    "session", "sessionid", "sign", "subscriptionkey", "token", "xapikey",
  ]
}
