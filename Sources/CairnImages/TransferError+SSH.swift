internal import CairnTransport

extension TransferError {
  /// Why ssh could not be talked to.
  init(_ failure: ChildProcess.Failure, _ address: String) {
    self.init(ssh: TransportError(failure, address))
  }

  /// Why ssh ended, or was given up.
  init(ssh error: TransportError) {
    switch error.kind {
    case .lost: self.init(error, isTransient: true)
    case .unreachable:
      // Who is heard of and then turned away may have come with too many others (sshd's MaxStartups).
      let words = error.reason.lowercased()
      let wasThere = ["closed by", "reset by", "kex_exchange", "banner", "during key exchange"]
        .contains { words.contains($0) }
      self.init(error, isTransient: true, isBeforeConnection: !wasThere)
    default: self.init(error, scope: .remote)
    }
  }

  /// What an sftp server refused, while it was asked to do something: “write there”.
  init(_ status: SFTPStatus, _ address: String, cannot what: String, scope: Scope) {
    let kind: TransportError.Kind =
      switch status.code {
      case .noSuchFile, .endOfFile: .noRepository
      case .permissionDenied, .writeProtected: .forbidden
      case .noSpace, .quotaExceeded: .full
      case .noConnection, .connectionLost: .lost
      case .badMessage, .unsupported: .protocolViolation
      case .done, .failure, nil: .forbidden
      }
    let words = ServerWords(status.message).sentence
    self.init(
      TransportError(kind, address, "it cannot \(what)" + (words.isEmpty ? "" : ": \(words)")),
      scope: kind == .lost ? .image : scope, isTransient: kind == .lost)
  }
}
