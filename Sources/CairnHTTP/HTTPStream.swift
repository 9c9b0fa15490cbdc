internal import CCurl

/// An answer whose body is read as it comes: no more of it is kept than somebody is about to read.
public final class HTTPStream {
  private let transfer: HTTPTransfer
  private let client: HTTPClient

  init(_ transfer: HTTPTransfer, client: HTTPClient) {
    (self.transfer, self.client) = (transfer, client)
  }

  deinit { client.end(transfer) }

  /// The answer's status and headers; its body is empty.
  public var response: HTTPResponse { get throws { try transfer.response(isWhole: false) } }

  /// Returns the next bytes of the body, as many as are there; nil at its end.
  ///
  /// - Throws: ``HTTPError`` when the body ends before it should.
  public func read() throws -> [UInt8]? {
    if transfer.received.isEmpty, transfer.state == .running {
      transfer.resume()
      try client.run(transfer) { !transfer.received.isEmpty }
    }
    if transfer.received.isEmpty {
      _ = try transfer.response()
      return nil
    }
    defer { transfer.received.removeAll(keepingCapacity: true) }
    return transfer.received
  }
}
