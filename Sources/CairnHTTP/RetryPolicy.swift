/// When to try again, and after how long: a pure value.
///
/// Source: Marc Brooker, “Exponential Backoff And Jitter” (full jitter).
public struct RetryPolicy: Sendable, Equatable {
  /// How often something is tried in all.
  public var attempts = 8
  /// How often when not even a connection comes about: whoever is offline is not kept waiting.
  public var attemptsToConnect = 3
  public var firstDelayMilliseconds: Int64 = 250
  public var longestDelayMilliseconds: Int64 = 10_000
  /// A server that asks for more patience than this is given up.
  public var longestRetryAfterMilliseconds: Int64 = 120_000

  public init() {}

  /// Returns how long to wait before trying again; nil to give up.
  ///
  /// - Parameters:
  ///   - failures: How often it has failed, 1 or more.
  ///   - random: 64 random bits.
  public func delayMilliseconds(
    after error: HTTPError, failures: Int, random: UInt64
  ) -> Int64? {
    guard error.isTransient else { return nil }
    return delayMilliseconds(
      failures: failures, isBeforeConnection: error.isBeforeConnection,
      asked: error.retryAfterMilliseconds ?? 0, random: random)
  }

  /// Returns how long to wait before trying again what may succeed; nil to give up.
  ///
  /// - Parameters:
  ///   - isBeforeConnection: Whether not even a connection came about.
  ///   - asked: How long the server asks to wait, in milliseconds.
  public func delayMilliseconds(
    failures: Int, isBeforeConnection: Bool, asked: Int64, random: UInt64
  ) -> Int64? {
    guard failures < (isBeforeConnection ? min(attempts, attemptsToConnect) : attempts) else {
      return nil
    }
    if asked > longestRetryAfterMilliseconds { return nil }
    let doubled = firstDelayMilliseconds << Int64(min(failures - 1, 20))
    let longest = UInt64(max(1, min(doubled, longestDelayMilliseconds)))
    return asked + Int64(random % longest)
  }
}

extension HTTPError {
  /// Whether the same may succeed a little later.
  public var isTransient: Bool {
    switch kind {
    case .unresolved, .refused, .timedOut, .cutOff: true
    case .status(let code): code == 408 || code == 429 || [500, 502, 503, 504].contains(code)
    case .invalidAddress, .untrusted, .tooLarge, .tooManyRedirects, .proxy, .cancelled, .noLibrary,
      .other:
      false
    }
  }

  /// Whether no connection came about.
  public var isBeforeConnection: Bool { kind == .unresolved || kind == .refused }
}
