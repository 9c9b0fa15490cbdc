internal import CairnBase
package import CairnTransport

/// The Git LFS server of a repository.
///
/// Source: git-lfs, lfsapi/endpoint_finder.go; docs/api/server-discovery.md.
package struct LFSEndpoint: Sendable, Equatable {
  /// The URL for requests, unless ``ssh`` returns another one.
  package let web: WebAddress
  /// The machine to ask first for a URL and a token (`git-lfs-authenticate`).
  package let ssh: SSHAddress?
  /// Whether the address was guessed, not configured, and may be wrong.
  package let isGuess: Bool

  package init(web: WebAddress, ssh: SSHAddress? = nil, isGuess: Bool = false) {
    (self.web, self.ssh, self.isGuess) = (web, ssh, isGuess)
  }

  /// Creates the endpoint that belongs to a git remote; nil for a directory.
  package init?(ofRemote address: RemoteAddress) {
    switch address {
    case .directory: return nil
    case .web(let web):
      guard let web = web.with(path: LFSEndpoint.path(web.path)) else { return nil }
      self.init(web: web, isGuess: true)
    case .ssh(let ssh):
      let host = ssh.host.contains(":") ? "[\(ssh.host)]" : ssh.host
      let path = ssh.path.hasPrefix("/") ? ssh.path : "/" + ssh.path
      guard
        let web = WebAddress(
          "https://\(host)\(PercentEncoding.encoded(LFSEndpoint.path(path), keeping: "/"))")
      else { return nil }
      self.init(web: web, ssh: ssh, isGuess: true)
    }
  }

  private static func path(_ path: String) -> String {
    var path = path
    if path.hasSuffix("/") { path.removeLast() }
    return path + (path.hasSuffix(".git") ? "/info/lfs" : ".git/info/lfs")
  }
}
