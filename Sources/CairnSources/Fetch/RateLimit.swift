/// The maximum rate and concurrency of requests to a host.
public struct RateLimit: Sendable, Equatable {
  /// The average rate.
  public var perMinute: Int
  /// The maximum burst after a pause.
  public var burst: Int
  /// The maximum number of concurrent requests.
  public var lines: Int

  public init(perMinute: Int, burst: Int, lines: Int) {
    (self.perMinute, self.burst, self.lines) = (perMinute, burst, lines)
  }
}

/// The rate limiter of one host: a token bucket, and the pause requested by the host.
///
/// Source: the bucket is stored as the time at which it will be full, as in ITU-T I.371, “Generic
/// Cell Rate Algorithm”, virtual scheduling.
struct RateLimiter {
  let pace: RateLimit
  private(set) var running = 0
  /// The time at which the bucket is full again, in milliseconds.
  private var full: Int64 = .min
  private var retryAfter: Int64 = .min

  init(_ pace: RateLimit) { self.pace = pace }

  private var interval: Int64 { Int64(60_000 / max(1, pace.perMinute)) }

  /// Returns the time of the next request, in milliseconds; nil while the maximum number is
  /// running.
  func earliest(now: Int64) -> Int64? {
    if running >= pace.lines { return nil }
    let room = full == .min ? now : full - interval * Int64(pace.burst - 1)
    return max(now, room, retryAfter)
  }

  mutating func begin(now: Int64) {
    running += 1
    full = max(full, now) + interval
  }

  mutating func end() { running -= 1 }

  mutating func rest(until: Int64) { retryAfter = max(retryAfter, until) }
}
