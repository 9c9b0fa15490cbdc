internal import CCurl

/// A client that sends requests one at a time and keeps connections open between them.
///
/// Use it from one thread at a time, with a separate client for each concurrent transfer. Its
/// methods block, so do not call them on the threads of Swift's concurrency.
package final class HTTPClient {
  /// Default limit on the body kept in memory, in bytes.
  package static let bodyLimit = 1 << 20

  package let settings: HTTPSettings
  /// Nil if libcurl is missing; then no transfer exists either.
  private let multi: OpaquePointer?

  private static let isStarted: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  package init(_ settings: HTTPSettings = HTTPSettings()) {
    self.settings = settings
    multi = HTTPClient.isStarted ? OpaquePointer(curl_multi_init()) : nil
  }

  deinit { if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) } }

  /// Receives a piece of a response whose status and headers are known.
  package typealias Sink = (HTTPResponse, UnsafeRawBufferPointer) throws -> Void

  /// Sends a request and returns the response, whatever its status.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of body bytes to keep.
  ///   - sink: Receives the body of a success (2xx) piece by piece; the body is then not kept. An
  ///     error it throws ends the transfer and is rethrown.
  /// - Throws: ``HTTPError``, and any error of `sink` or of the request's body.
  package func send(
    _ request: HTTPRequest, limit: Int = bodyLimit, into sink: Sink? = nil
  ) throws -> HTTPResponse {
    let transfer = try HTTPTransfer(request, settings: settings, limit: limit, sink: sink)
    try run(transfer) { false }
    return try transfer.response()
  }

  /// Sends a request and returns once the status and headers are known, so that the body can be
  /// streamed. The client is busy until the stream is released.
  package func open(_ request: HTTPRequest) throws -> HTTPStream {
    let transfer = try HTTPTransfer(request, settings: settings, limit: 0, sink: nil)
    transfer.isPulled = true
    let stream = HTTPStream(transfer, client: self)
    try run(transfer) { transfer.hasBody }
    return stream
  }

  /// Runs a transfer until it ends or `isEnough` returns true.
  func run(_ transfer: HTTPTransfer, until isEnough: () -> Bool) throws {
    let multi = UnsafeMutableRawPointer(multi!)
    if transfer.state == .new {
      curl_multi_add_handle(multi, transfer.handle)
      transfer.state = .running
    }
    while transfer.state == .running {
      var running: CInt = 0
      let status = curl_multi_perform(multi, &running)
      guard status == CURLM_OK else {
        end(transfer)
        throw HTTPError(
          .other, host: transfer.host, detail: String(cString: curl_multi_strerror(status)))
      }
      var left: CInt = 0
      while let message = curl_multi_info_read(multi, &left) {
        transfer.result = cairn_curl_result(message)
        end(transfer)
      }
      if isEnough() || transfer.state != .running { return }
      if settings.isCancelled() {
        end(transfer)
        throw HTTPError(.cancelled, host: transfer.host)
      }
      if transfer.isOverdue {
        end(transfer)
        throw HTTPError(.timedOut, host: transfer.host, stage: transfer.stage)
      }
      curl_multi_poll(multi, nil, 0, 250, nil)
    }
  }

  func end(_ transfer: HTTPTransfer) {
    guard transfer.state == .running else { return }
    curl_multi_remove_handle(UnsafeMutableRawPointer(multi!), transfer.handle)
    transfer.state = .ended
  }
}
