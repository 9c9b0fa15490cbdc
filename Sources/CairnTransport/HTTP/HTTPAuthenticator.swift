package import CairnHTTP
internal import Synchronization

/// The credentials for one web server: none until it asks for them.
///
/// Several threads may share an authenticator; the user is asked once.
package final class HTTPAuthenticator: Sendable {
  private enum State {
    case unknown
    /// Credentials from the address, or from another exchange.
    case known(HTTPCredentials)
    /// Credentials from a helper or the user, and whether the server has accepted them.
    case obtained(Credential, hasWorked: Bool)
    /// The server rejected the credentials.
    case rejected
  }

  private let address: WebAddress
  private let context: TransportContext
  private let state: Mutex<State>

  package init(for address: WebAddress, _ context: TransportContext) {
    (self.address, self.context) = (address, context)
    let fromAddress = address.user.flatMap { user in
      address.password.map { HTTPCredentials(user: user, password: $0) }
    }
    state = Mutex((fromAddress ?? context.credentialCache[address]).map(State.known) ?? .unknown)
  }

  /// The credentials to send.
  package var credentials: HTTPCredentials? {
    state.withLock { state in
      switch state {
      case .unknown, .rejected: nil
      case .known(let credentials): credentials
      case .obtained(let credential, _): credential.credentials
      }
    }
  }

  /// Records that the server accepted the credentials.
  package func accepted(_ credentials: HTTPCredentials?) {
    guard let credentials else { return }
    context.credentialCache[address] = credentials
    state.withLock { state in
      guard case .obtained(let credential, false) = state, credential.credentials == credentials
      else { return }
      credential.report(.approve, context)
      state = .obtained(credential, hasWorked: true)
    }
  }

  /// Obtains credentials after the server rejected a request sent with `used`; returns when there
  /// are better ones to send.
  ///
  /// - Throws: ``TransportError`` with `.authentication` when there are none.
  package func challenged(_ used: HTTPCredentials?) throws {
    try state.withLock { state in
      switch state {
      case .rejected: throw rejection
      case .unknown:
        state = try context.credentialCache[address].map(State.known) ?? obtain()
      case .known(let credentials):
        // Another thread may have obtained others meanwhile.
        if credentials == used { try reject(&state) }
      case .obtained(let credential, let hasWorked):
        if credential.credentials != used { return }
        credential.report(.reject, context)
        context.credentialCache[address] = nil
        // Credentials that worked may have expired, as tokens do.
        if hasWorked { state = try obtain() } else { try reject(&state) }
      }
    }
  }

  private func obtain() throws -> State {
    .obtained(try Credential(for: address, context), hasWorked: false)
  }

  private func reject(_ state: inout State) throws {
    context.credentialCache[address] = nil
    state = .rejected
    throw rejection
  }

  private var rejection: TransportError {
    TransportError(.authentication, address.text, "it rejected the user name and password")
  }
}
