/// A server's response.
public struct HTTPResponse: Sendable {
  public let status: Int
  public let headers: HTTPHeaders
  /// The URL of the response, after redirects; its query may hold a secret.
  public let url: String
  /// The body, except what was passed to a sink.
  public internal(set) var body: [UInt8]

  public var isSuccess: Bool { 200...299 ~= status }

  /// Returns the error for an unsuccessful response.
  ///
  /// - Parameter now: Milliseconds since 1970, for a `Retry-After` that is a date.
  public func failure(now: Int64) -> HTTPError {
    HTTPError(
      .status(status), host: HTTPError.host(of: url),
      retryAfterMilliseconds: headers["Retry-After"].flatMap { HTTPDate.delay($0, now: now) })
  }
}
