public import SystemPackage

/// How a client treats every server.
public struct HTTPSettings: Sendable {
  public enum Redirects: Sendable, Equatable {
    /// An answer with a 3xx status is returned as it is.
    case none
    /// Followed so many times, and never from https to http. Credentials go to the first host only.
    case follow(Int)
  }

  public enum Trust: Sendable, Equatable {
    /// The certificates of the system.
    case system
    /// Those of one file in PEM format, alone.
    case file(FilePath)
    /// Those of a directory prepared with `openssl rehash`, alone.
    case directory(FilePath)
    /// Any certificate. Only where the person's own configuration says so (`http.sslVerify`).
    case anything
  }

  public var trust = Trust.system
  /// The keys that a server may have, besides being trusted: `sha256//BASE64;sha256//BASE64`, or the
  /// path of a file with one. Source: CURLOPT_PINNEDPUBLICKEY(3).
  public var pinnedKeys: String?
  /// False for TLS 1.3 alone.
  public var allowsTLS12 = true
  public var redirects = Redirects.follow(10)
  /// An address such as `http://proxy:3128`; nil for the usual variables (`https_proxy`, `no_proxy` …),
  /// empty for none.
  public var proxy: String?
  /// Whether `~/.netrc` is asked for the credentials of a host.
  public var usesNetrc = false
  public var userAgent = "cairn"
  /// The client's own certificate and key, in PEM format.
  public var certificate: (certificate: FilePath, key: FilePath?)?
  /// False for HTTP/1.1 alone.
  public var allowsHTTP2 = true
  public var connectTimeoutMilliseconds = 30_000
  /// The time in which at least one byte must move; 0 for no bound.
  public var stallTimeoutSeconds = 30
  /// Asked some times a second while a request runs; true ends it.
  public var isCancelled: @Sendable () -> Bool = { false }

  public init() {}

  /// The settings that the environment asks for.
  ///
  /// Source: curl(1), “ENVIRONMENT”: `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`. The variables
  /// for proxies are read by libcurl itself.
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
