package import CairnGit
package import CairnHTTP
internal import LibC
internal import SystemPackage

extension HTTPSettings {
  /// Creates the settings that git's configuration and environment specify for an address.
  ///
  /// Source: git's Documentation/config/http.txt.
  /// - Parameter remote: The remote's name, which may have its own proxy.
  package init(_ context: TransportContext, for address: WebAddress, remote: String?) {
    self.init(environment: environmentVariable)
    let settings = context.settings
    func path(_ variable: String, _ name: String) -> FilePath? {
      (environmentVariable(variable) ?? settings.http(name, for: address))
        .flatMap { $0.isEmpty ? nil : FilePath(expanding: $0) }
    }
    if let file = path("GIT_SSL_CAINFO", "sslCAInfo") {
      trust = .file(file)
    } else if let directory = path("GIT_SSL_CAPATH", "sslCAPath") {
      trust = .directory(directory)
    }
    let isVerified = settings.httpFlag("sslVerify", for: address) ?? true
    if !isVerified || environmentVariable("GIT_SSL_NO_VERIFY") != nil { trust = .anything }
    pinnedKeys = settings.http("pinnedPubkey", for: address)
    allowsTLS12 =
      (environmentVariable("GIT_SSL_VERSION") ?? settings.http("sslVersion", for: address))
      != "tlsv1.3"
    if let certificate = path("GIT_SSL_CERT", "sslCert") {
      self.certificate = (certificate, path("GIT_SSL_KEY", "sslKey"))
    }
    // An empty value means no proxy, whatever the environment specifies.
    proxy =
      remote.flatMap { settings["remote.\($0).proxy"] } ?? settings.http("proxy", for: address)
    // libcurl would look for a missing file before each request.
    usesNetrc = environmentVariable("HOME").map { access($0 + "/.netrc", R_OK) == 0 } ?? true
    allowsHTTP2 = settings.http("version", for: address) != "HTTP/1.1"
    userAgent =
      environmentVariable("GIT_HTTP_USER_AGENT") ?? settings.http("userAgent", for: address)
      // Some servers use git's protocol only with a user agent that calls itself git.
      ?? "git/2 (cairn)"
    stallTimeoutSeconds = context.timeout.between
    if let limit = HTTPSettings.lowSpeed(settings, for: address) {
      (stallTimeoutSeconds, stallBytesPerSecond) = (limit.seconds, limit.bytesPerSecond)
    }
    isCancelled = context.isCancelled
  }

  /// Returns the rate below which git gives up, and after how long; nil unless both are set.
  ///
  /// Source: git's http.c, `get_curl_handle`.
  static func lowSpeed(
    _ settings: GitSettings, for address: WebAddress
  ) -> (seconds: Int, bytesPerSecond: Int)? {
    func number(_ variable: String, _ name: String) -> Int {
      let text = environmentVariable(variable) ?? settings.http(name, for: address)
      return text.flatMap(GitSettings.number) ?? 0
    }
    let seconds = number("GIT_HTTP_LOW_SPEED_TIME", "lowSpeedTime")
    let rate = number("GIT_HTTP_LOW_SPEED_LIMIT", "lowSpeedLimit")
    return seconds > 0 && rate > 0 ? (seconds, rate) : nil
  }
}

extension HTTPRequest {
  /// Adds the headers that git's configuration specifies for an address (`http.extraHeader`).
  ///
  /// - Parameter onlyOfURL: Whether to omit those that apply to all addresses.
  package mutating func addExtraHeaders(
    _ settings: GitSettings, for address: WebAddress, onlyOfURL: Bool = false
  ) {
    for header in settings.httpAll("extraHeader", for: address, onlyOfURL: onlyOfURL) {
      guard let colon = header.firstIndex(of: ":") else { continue }
      let value = header[header.index(after: colon)...].drop { $0 == " " }
      headers.add(String(header[..<colon]), String(value))
    }
  }
}

extension FilePath {
  /// Reads a path of git's configuration, which may start with `~/`.
  fileprivate init(expanding text: String) {
    if text.hasPrefix("~/"), let home = environmentVariable("HOME") {
      self.init(home + text.dropFirst())
    } else {
      self.init(text)
    }
  }
}
