/// What a server answered.
public struct HTTPResponse: Sendable {
  public let status: Int
  public let headers: HTTPHeaders
  /// Where the answer came from, after redirects; it may hold a secret in its query.
  public let url: String
  /// The body, as far as it was not lent to whoever sent the request.
  public internal(set) var body: [UInt8]

  public var isSuccess: Bool { 200...299 ~= status }

  /// Returns the error of an answer that is not a success.
  ///
  /// - Parameter now: Milliseconds since 1970, for a `Retry-After` that is a date.
  public func failure(now: Int64) -> HTTPError {
    HTTPError(
      .status(status), host: HTTPError.host(of: url),
      retryAfterMilliseconds: headers["Retry-After"].flatMap { HTTPDate.delay($0, now: now) })
  }
}
