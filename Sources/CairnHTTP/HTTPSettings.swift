public import SystemPackage

/// A client's settings for all servers.
public struct HTTPSettings: Sendable {
  public enum Redirects: Sendable, Equatable {
    /// Returns a 3xx response unchanged.
    case none
    /// Follows up to this many redirects, never from https to http. Credentials go to the first
    /// host only.
    case follow(Int)
  }

  public enum Trust: Sendable, Equatable {
    /// The system's certificates.
    case system
    /// Only the certificates in one PEM file.
    case file(FilePath)
    /// Only the certificates in a directory prepared with `openssl rehash`.
    case directory(FilePath)
    /// Any certificate. Set only by the user's own configuration (`http.sslVerify`).
    case anything
  }

  public var trust = Trust.system
  /// The public keys a server may have, checked in addition to trust:
  /// `sha256//BASE64;sha256//BASE64`, or the path of a file with one. Source:
  /// CURLOPT_PINNEDPUBLICKEY(3).
  public var pinnedKeys: String?
  /// False to require TLS 1.3.
  public var allowsTLS12 = true
  public var redirects = Redirects.follow(10)
  /// A proxy URL such as `http://proxy:3128`; nil to use the usual variables (`https_proxy`,
  /// `no_proxy` …), empty for no proxy.
  public var proxy: String?
  /// Whether to look up credentials in `~/.netrc`.
  public var usesNetrc = false
  public var userAgent = "cairn"
  /// The client certificate and key, in PEM format.
  public var certificate: (certificate: FilePath, key: FilePath?)?
  /// False to use HTTP/1.1 only.
  public var allowsHTTP2 = true
  public var connectTimeoutMilliseconds = 30_000
  /// The time in which at least one byte must move; 0 for no limit.
  public var stallTimeoutSeconds = 30
  /// Called several times a second while a request runs; returning true ends it.
  public var isCancelled: @Sendable () -> Bool = { false }

  public init() {}

  /// Creates the settings that the environment specifies.
  ///
  /// Source: curl(1), “ENVIRONMENT”: `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`. The
  /// variables for proxies are read by libcurl itself.
  public init(environment: (String) -> String?) {
    func path(_ name: String) -> FilePath? {
      environment(name).flatMap { $0.isEmpty ? nil : FilePath($0) }
    }
    if let file = path("CURL_CA_BUNDLE") ?? path("SSL_CERT_FILE") {
      trust = .file(file)
    } else if let directory = path("SSL_CERT_DIR") {
      trust = .directory(directory)
    }
  }
}
