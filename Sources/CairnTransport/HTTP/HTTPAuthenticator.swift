public import CairnHTTP
internal import Synchronization

/// The credentials for one web server: none until it asks for them.
///
/// Several threads may share an authenticator; the user is asked once.
public final class HTTPAuthenticator: Sendable {
  private enum State {
    case nobody
    /// Credentials from the address, or from another exchange.
    case known(HTTPCredentials)
    /// Credentials from a helper or the user, and whether the server has accepted them.
    case asked(Credential, hasWorked: Bool)
    /// The server rejected the credentials.
    case refused
  }

  private let address: WebAddress
  private let context: TransportContext
  private let state: Mutex<State>

  public init(for address: WebAddress, _ context: TransportContext) {
    (self.address, self.context) = (address, context)
    let fromAddress = address.user.flatMap { user in
      address.password.map { HTTPCredentials(user: user, password: $0) }
    }
    state = Mutex((fromAddress ?? context.memory[address]).map(State.known) ?? .nobody)
  }

  /// The credentials to send.
  public var credentials: HTTPCredentials? {
    state.withLock { state in
      switch state {
      case .nobody, .refused: nil
      case .known(let credentials): credentials
      case .asked(let credential, _): credential.credentials
      }
    }
  }

  /// Records that the server accepted the credentials.
  public func accepted(_ credentials: HTTPCredentials?) {
    guard let credentials else { return }
    context.memory[address] = credentials
    state.withLock { state in
      guard case .asked(let credential, false) = state, credential.credentials == credentials
      else { return }
      credential.tell(.approve, context)
      state = .asked(credential, hasWorked: true)
    }
  }

  /// Obtains credentials after the server rejected a request sent with `used`; returns when there
  /// are better ones to send.
  ///
  /// - Throws: ``TransportError`` with `.authentication` when there are none.
  public func challenged(_ used: HTTPCredentials?) throws {
    try state.withLock { state in
      switch state {
      case .refused: throw wrong
      case .nobody:
        state = try context.memory[address].map(State.known) ?? ask()
      case .known(let credentials):
        // Another thread may have obtained others meanwhile.
        if credentials == used { try refuse(&state) }
      case .asked(let credential, let hasWorked):
        if credential.credentials != used { return }
        credential.tell(.reject, context)
        context.memory[address] = nil
        // Credentials that worked may have expired, as tokens do.
        if hasWorked { state = try ask() } else { try refuse(&state) }
      }
    }
  }

  private func ask() throws -> State {
    .asked(try Credential(for: address, context), hasWorked: false)
  }

  private func refuse(_ state: inout State) throws {
    context.memory[address] = nil
    state = .refused
    throw wrong
  }

  private var wrong: TransportError {
    TransportError(.authentication, address.text, "it does not accept this name and password")
  }
}
