package import CairnHTTP
internal import Synchronization

/// The credentials for one web server: none until it asks for them.
///
/// Several threads may share an authenticator; the user is asked once.
package final class HTTPAuthenticator: Sendable {
  private enum State {
    case unknown
    /// Credentials from the address.
    case given(Credential)
    /// Credentials from a helper, the user or an earlier exchange, and whether the server has
    /// accepted them.
    case obtained(Credential, hasWorked: Bool)
    /// The server rejected the credentials.
    case rejected
  }

  private let address: WebAddress
  private let context: TransportContext
  /// Those of the address.
  private let given: Credential?
  private let state: Mutex<State>

  package init(for address: WebAddress, _ context: TransportContext) {
    (self.address, self.context) = (address, context)
    given = address.user.flatMap { user in
      address.password.map { Credential(HTTPCredentials(user: user, password: $0)) }
    }
    let state: State
    if let given {
      // Over http, anyone on the way can read them, so the server has to ask for them.
      state = address.scheme == "https" ? .given(given) : .unknown
    } else {
      state =
        context.credentialCache[address].map { State.obtained($0, hasWorked: true) } ?? .unknown
    }
    self.state = Mutex(state)
  }

  /// The credentials to send.
  package var credentials: HTTPCredentials? {
    state.withLock { state in
      switch state {
      case .unknown, .rejected: nil
      case .given(let credential), .obtained(let credential, _): credential.credentials
      }
    }
  }

  /// Records that the server accepted the credentials.
  package func accepted(_ credentials: HTTPCredentials?) {
    guard let credentials else { return }
    state.withLock { state in
      switch state {
      case .given(let credential) where credential.credentials == credentials:
        context.credentialCache[address] = credential
      case .obtained(let credential, let hasWorked) where credential.credentials == credentials:
        context.credentialCache[address] = credential
        if hasWorked { return }
        credential.report(.approve, context)
        state = .obtained(credential, hasWorked: true)
      default: break
      }
    }
  }

  /// Obtains credentials after the server rejected a request sent with `used`; returns when there
  /// are better ones to send.
  ///
  /// They are sent as they are (Basic), so a server that offers only other ways gets none. One that
  /// names no way at all is taken to accept them, and so is one that has got some: it may name
  /// other ways only to reject them.
  /// - Parameters:
  ///   - message: What the server says to people, if its response is not plain text.
  ///   - isLFS: Whether to send them to a server that names an unknown way, such as `Bearer`, as
  ///     git-lfs does, except if all its ways are made so that no password is sent.
  /// - Throws: ``TransportError`` with `.authentication` when there are none.
  package func challenged(
    _ used: HTTPCredentials?, by response: HTTPResponse, saying message: String = "",
    isLFS: Bool = false
  ) throws {
    do {
      try renew(used, after: response, isLFS: isLFS)
    } catch let error as TransportError where error.kind == .authentication {
      let message = message.isEmpty ? response.plainMessage : message
      if message.isEmpty { throw error }
      throw TransportError(error.kind, error.address, "\(error.reason): \(message)")
    }
  }

  private func renew(
    _ used: HTTPCredentials?, after response: HTTPResponse, isLFS: Bool
  ) throws {
    let offered = response.authenticationSchemes
    let takesBasic = offered.map { $0.lowercased() }.contains {
      isLFS ? !["digest", "negotiate", "ntlm"].contains($0) : $0 == "basic"
    }
    guard used != nil || offered.isEmpty || takesBasic else {
      throw TransportError(
        .authentication, address.text,
        "it offers only \(offered.prefix(5).joined(separator: ", ")), and cairn supports only Basic"
      )
    }
    try state.withLock { state in
      switch state {
      case .rejected: throw rejection
      case .unknown:
        if let given {
          state = .given(given)
        } else {
          state =
            try context.credentialCache[address].map { State.obtained($0, hasWorked: true) }
            ?? obtain()
        }
      case .given(let credential):
        if credential.credentials == used { try reject(&state) }
      case .obtained(let credential, let hasWorked):
        // Another thread may have obtained others meanwhile, or another exchange.
        if credential.credentials != used { return }
        if let other = context.credentialCache[address], other.credentials != used {
          state = .obtained(other, hasWorked: true)
          return
        }
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

extension HTTPResponse {
  /// The ways to authenticate that the server offers, as it names them: `Basic`, `Digest`.
  ///
  /// A Git LFS server may offer them in a field of its own, to which browsers show no prompt. Source:
  /// RFC 9110, 11.6.1; Git LFS, docs/api/authentication.md.
  var authenticationSchemes: [String] {
    let names = ["www-authenticate", "lfs-authenticate"]
    return headers.fields.filter { names.contains($0.name.lowercased()) }
      .flatMap { HTTPResponse.schemes(in: $0.value) }
  }

  /// Returns the schemes of a list of challenges, each of which may have parameters, separated by
  /// commas like the challenges.
  private static func schemes(in list: String) -> [String] {
    var (parts, isQuoted, isEscaped) = ([""], false, false)
    for character in list {
      if character == ",", !isQuoted {
        parts.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      parts[parts.count - 1].append(character)
    }
    return parts.compactMap { part in
      let start = part.drop { $0 == " " || $0 == "\t" }
      let word = start.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      let rest = start.dropFirst(word.count)
      // A parameter has a “=” after its name.
      guard !word.isEmpty, word.count <= 32, rest.isEmpty || rest.first == " ",
        rest.first(where: { $0 != " " }) != "="
      else { return nil }
      return String(word)
    }
  }
}
