package import SystemPackage

/// A client's settings for all servers.
package struct HTTPSettings: Sendable {
  package enum Redirects: Sendable, Equatable {
    /// Returns a 3xx response unchanged.
    case none
    /// Follows up to this many redirects, never from https to http. Credentials go to the first
    /// host only.
    case follow(Int)
  }

  package enum Trust: Sendable, Equatable {
    /// The system's certificates.
    case system
    /// Only the certificates in one PEM file.
    case file(FilePath)
    /// Only the certificates in a directory prepared with `openssl rehash`.
    case directory(FilePath)
    /// Any certificate. Set only by the user's own configuration (`http.sslVerify`).
    case anything
  }

  package var trust = Trust.system
  /// The public keys a server may have, checked in addition to trust:
  /// `sha256//BASE64;sha256//BASE64`, or the path of a file with one. Source:
  /// CURLOPT_PINNEDPUBLICKEY(3).
  package var pinnedKeys: String?
  /// False to require TLS 1.3.
  package var allowsTLS12 = true
  package var redirects = Redirects.follow(10)
  /// A proxy URL such as `http://proxy:3128`; nil to use the usual variables (`https_proxy`,
  /// `no_proxy` …), empty for no proxy.
  package var proxy: String?
  /// Whether to look up credentials in `~/.netrc`.
  package var usesNetrc = false
  package var userAgent = "cairn"
  /// The client certificate and key, in PEM format.
  package var certificate: (certificate: FilePath, key: FilePath?)?
  /// False to use HTTP/1.1 only.
  package var allowsHTTP2 = true
  package var connectTimeoutMilliseconds = 30_000
  /// The time in which at least ``stallBytesPerSecond`` must move, on average; 0 for no limit.
  package var stallTimeoutSeconds = 30
  package var stallBytesPerSecond = 1
  /// Called several times a second while a request runs; returning true ends it.
  package var isCancelled: @Sendable () -> Bool = { false }

  /// The proxies that variables name, by the scheme of the URL; libcurl reads them itself.
  private var environmentProxies: [String: String] = [:]

  package init() {}

  /// Returns the proxy that the environment names for a URL. Source: curl(1), “ENVIRONMENT”.
  func environmentProxy(for url: String) -> String? {
    environmentProxies[url.lowercased().hasPrefix("https:") ? "https" : "http"]
  }

  /// Creates the settings that the environment specifies.
  ///
  /// Source: curl(1), “ENVIRONMENT”: `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`. The
  /// variables for proxies are read by libcurl itself.
  package init(environment: (String) -> String?) {
    for (scheme, names) in [
      ("https", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
      ("http", ["http_proxy", "all_proxy", "ALL_PROXY"]),
    ] {
      environmentProxies[scheme] = names.lazy.compactMap(environment).first { !$0.isEmpty }
    }
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
