internal import CairnHTTP
internal import CairnTransport

extension TransferError {
  /// Creates the error for a failed exchange with a web server.
  init(_ error: HTTPError, _ address: String) {
    let (kind, scope): (TransportError.Kind, Scope) =
      switch error.kind {
      case .unresolved, .refused, .proxy: (.unreachable, .image)
      case .proxyRefusal: (.serverError, .remote)
      case .other where error.stage == .connecting: (.serverError, .remote)
      case .timedOut, .cutOff, .other: (.connectionLost, .image)
      case .untrusted: (.untrusted, .remote)
      case .invalidAddress: (.unsupportedAddress, .image)
      case .tooLarge: (.damaged, .batch)
      case .tooManyRedirects, .invalidResponse: (.protocolViolation, .image)
      case .cancelled: (.cancelled, .remote)
      case .noLibrary: (.noProgram, .remote)
      case .status(let code): TransferError.meaning(ofStatus: code)
      }
    self.init(
      TransportError(kind, address, "\(error)"), scope: scope,
      isTransient: error.isTransient || error.kind == .tooLarge,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }

  /// Returns the meaning of a status code of HTTP, which `git-lfs-transfer` uses as well.
  static func meaning(ofStatus status: Int) -> (TransportError.Kind, Scope) {
    switch status {
    case 401: (.authentication, .remote)
    case 403: (.forbidden, .remote)
    case 404, 410: (.noRepository, .image)
    case 413: (.protocolViolation, .batch)
    case 507, 509: (.noSpace, .remote)
    case 408, 429, 500...599: (.serverError, .image)
    default: (.protocolViolation, .image)
    }
  }
}
