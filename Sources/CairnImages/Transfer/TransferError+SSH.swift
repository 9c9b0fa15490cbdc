internal import CairnGit
internal import CairnProcess
internal import CairnTransport

extension TransportContext {
  /// Starts ssh for a session that transfers images.
  ///
  /// - Parameter call: Returns the program and its arguments.
  /// - Throws: A ``TransferError``.
  func startSession(
    with address: SSHAddress,
    _ call: (SSHCommand) throws(TransportError) -> (program: String, arguments: [String])
  ) throws -> ChildProcess {
    do {
      let call = try call(ssh)
      return try ChildProcess(
        call.program, call.arguments, environment: GitProgram.environment,
        isCancelled: isCancelled)
    } catch let error as TransportError {
      throw TransferError(error, scope: .remote)
    } catch let failure as ChildProcess.Failure {
      throw TransferError(failure, address.text)
    }
  }
}

extension TransferError {
  /// Creates the error for a failed exchange with ssh.
  init(_ failure: ChildProcess.Failure, _ address: String) {
    self.init(ssh: TransportError(failure, address))
  }

  /// Creates the error for an ssh program that ended or was stopped.
  init(ssh error: TransportError) {
    switch error.kind {
    case .connectionLost, .serverError: self.init(error, isTransient: true)
    case .unreachable:
      // A server that drops a connection it accepted may have too many others (sshd's MaxStartups).
      let reason = error.reason.lowercased()
      let wasConnected = ["closed by", "reset by", "kex_exchange", "banner", "during key exchange"]
        .contains { reason.contains($0) }
      self.init(error, isTransient: true, isBeforeConnection: !wasConnected)
    default: self.init(error, scope: .remote)
    }
  }

  /// Creates the error for a request that an sftp server rejected.
  ///
  /// - Parameter what: The request as a verb phrase: “write to backup”.
  init(_ status: SFTPStatus, _ address: String, cannot what: String, scope: Scope) {
    let kind: TransportError.Kind =
      switch status.code {
      case .noSuchFile, .endOfFile: .noRepository
      case .permissionDenied, .writeProtected: .forbidden
      case .noSpace, .quotaExceeded: .noSpace
      case .noConnection, .connectionLost: .connectionLost
      case .badMessage, .unsupported: .protocolViolation
      case .done, .failure, nil: .forbidden
      }
    let message = ServerMessages(status.message).sentence
    self.init(
      TransportError(kind, address, "it cannot \(what)" + (message.isEmpty ? "" : ": \(message)")),
      scope: kind == .connectionLost ? .image : scope, isTransient: kind == .connectionLost)
  }
}
