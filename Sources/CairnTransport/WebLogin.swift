public import CairnHTTP
internal import Synchronization

/// Who we say that we are to one web server: nobody, until it wants to know.
///
/// Several threads may share it; the person is asked once.
public final class WebLogin: Sendable {
  private enum State {
    case nobody
    /// From the address, or from another exchange.
    case known(HTTPCredentials)
    /// From a helper or a person; whether the server has taken them once.
    case asked(Credential, hasWorked: Bool)
    /// They were wrong.
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

  /// What to send along.
  public var credentials: HTTPCredentials? {
    state.withLock { state in
      switch state {
      case .nobody, .refused: nil
      case .known(let credentials): credentials
      case .asked(let credential, _): credential.credentials
      }
    }
  }

  /// The server has let us in.
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

  /// The server wants to know who we are, after it was sent `used`; returns when there is something
  /// better to send.
  ///
  /// - Throws: ``TransportError`` with `.authentication` when there is not.
  public func challenged(_ used: HTTPCredentials?) throws {
    try state.withLock { state in
      switch state {
      case .refused: throw wrong
      case .nobody:
        state = try context.memory[address].map(State.known) ?? ask()
      case .known(let credentials):
        // Another thread may have found them meanwhile.
        if credentials == used { try refuse(&state) }
      case .asked(let credential, let hasWorked):
        if credential.credentials != used { return }
        credential.tell(.reject, context)
        context.memory[address] = nil
        // What was right a moment ago may have ended: tokens do.
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
