public import CairnGit
public import CairnHTTP
internal import SystemPackage

extension HTTPSettings {
  /// What git's configuration and environment say of an address.
  ///
  /// Source: git's Documentation/config/http.txt.
  /// - Parameter remote: The remote's name, which may have a proxy of its own.
  public init(_ context: TransportContext, for address: WebAddress, remote: String?) {
    self.init(environment: environment)
    let settings = context.settings
    func path(_ variable: String, _ name: String) -> FilePath? {
      (environment(variable) ?? settings.http(name, for: address))
        .flatMap { $0.isEmpty ? nil : FilePath(expanding: $0) }
    }
    if let file = path("GIT_SSL_CAINFO", "sslCAInfo") {
      trust = .file(file)
    } else if let directory = path("GIT_SSL_CAPATH", "sslCAPath") {
      trust = .directory(directory)
    }
    let isVerified = settings.httpFlag("sslVerify", for: address) ?? true
    if !isVerified || environment("GIT_SSL_NO_VERIFY") != nil { trust = .anything }
    pinnedKeys = settings.http("pinnedPubkey", for: address)
    allowsTLS12 =
      (environment("GIT_SSL_VERSION") ?? settings.http("sslVersion", for: address)) != "tlsv1.3"
    if let certificate = path("GIT_SSL_CERT", "sslCert") {
      self.certificate = (certificate, path("GIT_SSL_KEY", "sslKey"))
    }
    // An empty one is none, whatever the environment has.
    proxy =
      remote.flatMap { settings["remote.\($0).proxy"] } ?? settings.http("proxy", for: address)
    usesNetrc = true
    allowsHTTP2 = settings.http("version", for: address) != "HTTP/1.1"
    userAgent =
      environment("GIT_HTTP_USER_AGENT") ?? settings.http("userAgent", for: address)
      // Some servers speak git's protocol only with what calls itself git.
      ?? "git/2 (cairn)"
    stallTimeoutSeconds =
      settings.http("lowSpeedTime", for: address).flatMap { Int($0) } ?? context.patience.between
    isCancelled = context.isCancelled
  }
}

extension HTTPRequest {
  /// Adds the headers that git's configuration wants sent to an address (`http.extraHeader`).
  ///
  /// - Parameter onlyOfURL: Whether to leave out those that are for all addresses.
  public mutating func addExtraHeaders(
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
  /// Reads a path of git's configuration, which may start at the user's home.
  fileprivate init(expanding text: String) {
    if text.hasPrefix("~/"), let home = environment("HOME") {
      self.init(home + text.dropFirst())
    } else {
      self.init(text)
    }
  }
}
