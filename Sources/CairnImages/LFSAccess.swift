internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport
internal import Synchronization

/// How a Git LFS server lets us in: by a token that ssh brings, or by a login for each web server that has
/// to do with it. All lines of a transfer share it.
///
/// Source: git-lfs, docs/api/authentication.md.
final class LFSAccess: Sendable {
  /// Where requests go at the moment, and what they carry.
  struct Pass: Sendable {
    let address: WebAddress
    let headers: HTTPHeaders
    /// Milliseconds since 1970.
    let expires: Int64?
  }

  let endpoint: LFSEndpoint
  let context: TransportContext
  /// The git remote whose images these are: its password serves for a server of the same host.
  private let git: WebAddress?
  private let passes = Mutex<[ImageDirection: Pass]>([:])
  private let logins = Mutex<[String: WebLogin]>([:])

  init(_ endpoint: LFSEndpoint, git: WebAddress?, _ context: TransportContext) {
    (self.endpoint, self.git, self.context) = (endpoint, git, context)
  }

  /// Returns what is needed for a request, after asking over ssh where that has to be.
  func pass(for direction: ImageDirection, now: Int64) throws -> Pass {
    guard let ssh = endpoint.ssh else {
      return Pass(address: endpoint.web, headers: [:], expires: nil)
    }
    return try passes.withLock { passes in
      if let pass = passes[direction], pass.expires.map({ now < $0 }) ?? true { return pass }
      guard let pass = try LFSAccess.authenticate(ssh, endpoint.web, direction, context, now: now)
      else {
        throw TransportError(.takesNoImages, ssh.text, "it has no git-lfs-authenticate")
      }
      passes[direction] = pass
      return pass
    }
  }

  /// The server does not take the token any more.
  func forget(_ direction: ImageDirection) { passes.withLock { $0[direction] = nil } }

  /// Keeps a token that was brought already.
  func keep(_ pass: Pass, for direction: ImageDirection) {
    passes.withLock { $0[direction] = pass }
  }

  /// Asks over ssh; nil where nobody there knows of Git LFS.
  static func authenticate(
    _ ssh: SSHAddress, _ guess: WebAddress, _ direction: ImageDirection,
    _ context: TransportContext, now: Int64
  ) throws -> Pass? {
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
    return Pass(
      address: address, headers: headers, expires: LFSActions.expiry(answer, now: now))
  }

  /// Returns who we are to a web server.
  func login(for address: WebAddress) -> WebLogin {
    logins.withLock { logins in
      let key = address.scheme + address.hostAndPort
      if let login = logins[key] { return login }
      // A name and a password that stand in the address go first.
      let isGits = address.user == nil && git?.isSameServer(as: address) == true
      let login = WebLogin(for: isGits ? git! : address, context)
      logins[key] = login
      return login
    }
  }
}
