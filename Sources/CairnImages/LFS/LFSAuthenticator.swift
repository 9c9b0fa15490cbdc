internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport
internal import Synchronization

/// The authentication for a Git LFS server: a token obtained over ssh, or a login for each web
/// server involved. All connections of a transfer share it.
///
/// Source: git-lfs, docs/api/authentication.md.
final class LFSAuthenticator: Sendable {
  /// The current address for requests and their headers.
  struct Token: Sendable {
    let address: WebAddress
    let headers: HTTPHeaders
    /// Milliseconds since 1970.
    let expires: Int64?
  }

  let endpoint: LFSEndpoint
  let context: TransportContext
  /// The git remote of these images: its password also serves for a server on the same host.
  private let git: WebAddress?
  private let tokens = Mutex<[ImageDirection: Token]>([:])
  private let authenticators = Mutex<[String: HTTPAuthenticator]>([:])

  init(_ endpoint: LFSEndpoint, git: WebAddress?, _ context: TransportContext) {
    (self.endpoint, self.git, self.context) = (endpoint, git, context)
  }

  /// Returns the address and headers for a request, obtaining a token over ssh if needed.
  func token(for direction: ImageDirection, now: Int64) throws -> Token {
    guard let ssh = endpoint.ssh else {
      return Token(address: endpoint.web, headers: [:], expires: nil)
    }
    return try tokens.withLock { tokens in
      if let token = tokens[direction], token.expires.map({ now < $0 }) ?? true { return token }
      guard
        case .token(let token) = try LFSAuthenticator.authenticate(
          ssh, endpoint.web, direction, context, now: now)
      else {
        throw TransportError(.noImageStore, ssh.text, "it has no git-lfs-authenticate")
      }
      tokens[direction] = token
      return token
    }
  }

  /// Discards a token that the server no longer accepts.
  func discard(_ direction: ImageDirection) { tokens.withLock { $0[direction] = nil } }

  /// Stores a token that was already obtained.
  func store(_ token: Token, for direction: ImageDirection) {
    tokens.withLock { $0[direction] = token }
  }

  /// The answer of a machine that was asked for a token.
  enum Answer {
    case token(Token)
    /// It has no `git-lfs-authenticate`; without a shell, it runs only certain commands.
    case noProgram(hasShell: Bool)
  }

  /// Requests a token over ssh.
  static func authenticate(
    _ ssh: SSHAddress, _ fallback: WebAddress, _ direction: ImageDirection,
    _ context: TransportContext, now: Int64
  ) throws -> Answer {
    let command = "git-lfs-authenticate \(SSHCommand.quoted(ssh.path)) \(direction.rawValue)"
    let printed: [UInt8]
    switch try RemoteProgram.run(command, at: ssh, context) {
    case .printed(let output): printed = output
    case .missing(let hasShell): return .noProgram(hasShell: hasShell)
    }
    guard let response = try? JSON(bytes: printed), response.object != nil else {
      throw TransportError(
        .protocolViolation, ssh.text, "its git-lfs-authenticate did not print a JSON object")
    }
    var address = fallback
    if let href = response["href"]?.string, !href.isEmpty {
      guard let url = WebAddress(href) else {
        throw TransportError(
          .protocolViolation, ssh.text, "its git-lfs-authenticate returned an invalid URL")
      }
      address = url
    }
    var headers: HTTPHeaders = [:]
    for (name, value) in response["header"]?.object?.members ?? [] {
      if let text = value.string { headers.add(name, text) }
    }
    return .token(
      Token(address: address, headers: headers, expires: LFSActions.expiry(response, now: now)))
  }

  /// Returns the authenticator for a web server.
  func authenticator(for address: WebAddress) -> HTTPAuthenticator {
    authenticators.withLock { authenticators in
      let key = address.scheme + address.hostAndPort
      if let authenticator = authenticators[key] { return authenticator }
      // Credentials in the address take precedence.
      let sharesGitLogin = address.user == nil && git?.isSameServer(as: address) == true
      let authenticator = HTTPAuthenticator(for: sharesGitLogin ? git! : address, context)
      authenticators[key] = authenticator
      return authenticator
    }
  }
}
