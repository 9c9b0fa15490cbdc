/// A retry schedule, as a pure value.
///
/// Source: Marc Brooker, “Exponential Backoff And Jitter” (full jitter).
package struct RetryPolicy: Sendable, Equatable {
  /// Maximum number of attempts.
  package var attempts = 8
  /// Maximum number of attempts when no connection can be made, so that offline users do not wait.
  package var attemptsToConnect = 3
  package var firstDelayMilliseconds: Int64 = 250
  package var longestDelayMilliseconds: Int64 = 10_000
  /// The longest wait to accept; the client gives up if a server asks for more.
  package var longestRetryAfterMilliseconds: Int64 = 120_000

  package init() {}

  /// Returns how long to wait before retrying; nil to give up.
  ///
  /// - Parameters:
  ///   - failures: Number of failed attempts, 1 or more.
  ///   - random: 64 random bits.
  package func delayMilliseconds(
    after error: HTTPError, failures: Int, random: UInt64
  ) -> Int64? {
    guard error.isTransient else { return nil }
    return delayMilliseconds(
      failures: failures, isBeforeConnection: error.isBeforeConnection,
      requested: error.retryAfterMilliseconds ?? 0, random: random)
  }

  /// Returns how long to wait before retrying a transient failure; nil to give up.
  ///
  /// - Parameters:
  ///   - isBeforeConnection: Whether no connection was made.
  ///   - requested: How long the server asks to wait, in milliseconds.
  package func delayMilliseconds(
    failures: Int, isBeforeConnection: Bool, requested: Int64, random: UInt64
  ) -> Int64? {
    guard failures < (isBeforeConnection ? min(attempts, attemptsToConnect) : attempts) else {
      return nil
    }
    if requested > longestRetryAfterMilliseconds { return nil }
    let doubled = firstDelayMilliseconds << Int64(min(failures - 1, 20))
    let longest = UInt64(max(1, min(doubled, longestDelayMilliseconds)))
    return requested + Int64(random % longest)
  }
}

extension HTTPError {
  /// Whether a retry may succeed.
  package var isTransient: Bool {
    switch kind {
    case .unresolved, .refused, .timedOut, .cutOff, .invalidResponse: true
    case .status(let code): code == 408 || code == 429 || [500, 502, 503, 504].contains(code)
    case .other: stage != .connecting
    case .invalidAddress, .untrusted, .tooLarge, .tooManyRedirects, .proxy, .proxyRefusal,
      .cancelled, .noLibrary:
      false
    }
  }

  /// Whether no connection was made.
  package var isBeforeConnection: Bool {
    switch kind {
    case .unresolved, .refused: true
    case .timedOut: stage == .connecting
    default: false
    }
  }
}
