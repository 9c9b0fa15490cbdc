/// A server's response.
package struct HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  /// The URL of the response, after redirects; its query may hold a secret.
  package let url: String
  /// The body, except what was passed to a sink.
  package internal(set) var body: [UInt8]
  /// The secrets of the request.
  package internal(set) var secrets = HTTPSecrets()

  package var isSuccess: Bool { 200...299 ~= status }

  /// Returns the error for an unsuccessful response.
  ///
  /// - Parameter now: Milliseconds since 1970, for a `Retry-After` that is a date.
  package func failure(now: Int64) -> HTTPError {
    HTTPError(
      .status(status), host: HTTPError.host(of: url),
      retryAfterMilliseconds: headers["Retry-After"].flatMap { HTTPDate.delay($0, now: now) })
  }
}
