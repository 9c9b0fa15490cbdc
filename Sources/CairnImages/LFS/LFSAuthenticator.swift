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
  private let passes = Mutex<[ImageDirection: Token]>([:])
  private let logins = Mutex<[String: HTTPAuthenticator]>([:])

  init(_ endpoint: LFSEndpoint, git: WebAddress?, _ context: TransportContext) {
    (self.endpoint, self.git, self.context) = (endpoint, git, context)
  }

  /// Returns the address and headers for a request, asking over ssh if needed.
  func pass(for direction: ImageDirection, now: Int64) throws -> Token {
    guard let ssh = endpoint.ssh else {
      return Token(address: endpoint.web, headers: [:], expires: nil)
    }
    return try passes.withLock { passes in
      if let pass = passes[direction], pass.expires.map({ now < $0 }) ?? true { return pass }
      guard
        let pass = try LFSAuthenticator.authenticate(
          ssh, endpoint.web, direction, context, now: now)
      else {
        throw TransportError(.takesNoImages, ssh.text, "it has no git-lfs-authenticate")
      }
      passes[direction] = pass
      return pass
    }
  }

  /// Discards a token that the server no longer accepts.
  func forget(_ direction: ImageDirection) { passes.withLock { $0[direction] = nil } }

  /// Stores a token that was already obtained.
  func keep(_ pass: Token, for direction: ImageDirection) {
    passes.withLock { $0[direction] = pass }
  }

  /// Requests a token over ssh; returns nil if the server does not support Git LFS.
  static func authenticate(
    _ ssh: SSHAddress, _ guess: WebAddress, _ direction: ImageDirection,
    _ context: TransportContext, now: Int64
  ) throws -> Token? {
    let words = "git-lfs-authenticate \(SSHCommand.quoted(ssh.path)) \(direction.rawValue)"
    guard let printed = try RemoteProgram.run(words, at: ssh, context) else { return nil }
    guard let answer = try? JSON(bytes: printed), answer.object != nil else {
      throw TransportError(
        .protocolViolation, ssh.text, "what its git-lfs-authenticate prints does not read")
    }
    var address = guess
    if let href = answer["href"]?.string, !href.isEmpty {
      guard let place = WebAddress(href) else {
        throw TransportError(
          .protocolViolation, ssh.text,
          "its git-lfs-authenticate names an address that does not read")
      }
      address = place
    }
    var headers: HTTPHeaders = [:]
    for (name, value) in answer["header"]?.object?.members ?? [] {
      if let text = value.string { headers.add(name, text) }
    }
    return Token(
      address: address, headers: headers, expires: LFSActions.expiry(answer, now: now))
  }

  /// Returns the authenticator for a web server.
  func login(for address: WebAddress) -> HTTPAuthenticator {
    logins.withLock { logins in
      let key = address.scheme + address.hostAndPort
      if let login = logins[key] { return login }
      // Credentials in the address take precedence.
      let isGits = address.user == nil && git?.isSameServer(as: address) == true
      let login = HTTPAuthenticator(for: isGits ? git! : address, context)
      logins[key] = login
      return login
    }
  }
}
