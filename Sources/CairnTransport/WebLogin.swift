public import CairnHTTP
internal import Synchronization

/// Who we say that we are to one web server: nobody, until it wants to know.
///
/// Several threads may share it; the person is asked once.
public final class WebLogin: Sendable {
  private enum State {
    case nobody
    /// From the address, or known to be right.
    case known(HTTPCredentials)
    /// From a helper or a person, and not tried yet.
    case asked(Credential)
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
      case .asked(let credential): credential.credentials
      }
    }
  }

  /// The server has let us in.
  public func accepted(_ credentials: HTTPCredentials?) {
    guard let credentials else { return }
    context.memory[address] = credentials
    state.withLock { state in
      guard case .asked(let credential) = state, credential.credentials == credentials else {
        return
      }
      credential.tell(.approve, context)
      state = .known(credentials)
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
        state =
          try context.memory[address].map(State.known) ?? .asked(Credential(for: address, context))
      case .known(let credentials):
        // Another thread may have found them meanwhile.
        if credentials == used { try refuse(&state) }
      case .asked(let credential):
        if credential.credentials == used {
          credential.tell(.reject, context)
          try refuse(&state)
        }
      }
    }
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
