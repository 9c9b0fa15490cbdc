internal import CCurl

/// A response whose body is read as it arrives, buffering only what is about to be read.
package final class HTTPStream {
  private let transfer: HTTPTransfer
  private let client: HTTPClient

  init(_ transfer: HTTPTransfer, client: HTTPClient) {
    (self.transfer, self.client) = (transfer, client)
  }

  deinit { client.end(transfer) }

  /// The response's status and headers; its body is empty.
  package var response: HTTPResponse {
    get throws { try transfer.response(requiresFullBody: false) }
  }

  /// Returns the available bytes of the body; nil at its end.
  ///
  /// - Throws: ``HTTPError`` when the body ends early.
  package func read() throws -> [UInt8]? {
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
