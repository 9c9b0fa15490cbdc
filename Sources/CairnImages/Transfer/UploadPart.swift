internal import CairnHTTP

/// A part of an image that is sent from memory, in a request of its own.
struct UploadPart {
  /// Maximum number of attempts to send it.
  private static let attempts = 3

  let bytes: [UInt8]
  let progress: (Int) -> Void

  /// Sends the part, again after an error that another attempt may avoid.
  ///
  /// - Parameter attempt: Sends a request with the body that it is given, which starts at the
  ///   beginning each time.
  func send<Result>(
    _ attempt: (_ body: @escaping () -> HTTPRequest.Body) throws -> Result
  ) throws -> Result {
    var sent = 0
    let body = {
      progress(-sent)
      sent = 0
      return HTTPRequest.Body.pieces(length: bytes.count) { buffer in
        let piece = bytes[sent...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        sent += piece.count
        progress(piece.count)
        return piece.count
      }
    }
    var left = UploadPart.attempts
    while true {
      do {
        return try attempt(body)
      } catch let error as TransferError {
        left -= 1
        guard left > 0, error.isTransient, error.retryAfterMilliseconds == nil else { throw error }
      }
    }
  }

  /// Returns the tag by which a server refers to the part that it has received; nil if it gave none.
  static func tag(in response: HTTPResponse) -> String? {
    response.headers["ETag"].flatMap { 1...1024 ~= $0.utf8.count ? $0 : nil }
  }
}
