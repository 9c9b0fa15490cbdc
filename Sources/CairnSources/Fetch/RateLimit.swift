/// The maximum rate and concurrency of requests to a host.
package struct RateLimit: Sendable, Equatable {
  /// The average rate.
  package var perMinute: Int
  /// The maximum burst after a pause.
  package var burst: Int
  /// The maximum number of concurrent requests.
  package var connections: Int

  package init(perMinute: Int, burst: Int, connections: Int) {
    (self.perMinute, self.burst, self.connections) = (perMinute, burst, connections)
  }
}

/// The rate limiter of one host: a token bucket, and the pause requested by the host.
///
/// Source: the bucket is stored as the time at which it will be full, as in ITU-T I.371, “Generic
/// Cell Rate Algorithm”, virtual scheduling.
struct RateLimiter {
  let limit: RateLimit
  private(set) var running = 0
  /// The time at which the bucket is full again, in milliseconds.
  private var full: Int64 = .min
  private var retryAfter: Int64 = .min

  init(_ limit: RateLimit) { self.limit = limit }

  private var interval: Int64 { Int64(60_000 / max(1, limit.perMinute)) }

  /// Returns the time of the next request, in milliseconds; nil while the maximum number is
  /// running.
  func earliest(now: Int64) -> Int64? {
    if running >= limit.connections { return nil }
    let room = full == .min ? now : full - interval * Int64(limit.burst - 1)
    return max(now, room, retryAfter)
  }

  mutating func begin(now: Int64) {
    running += 1
    full = max(full, now) + interval
  }

  mutating func end() { running -= 1 }

  mutating func pause(until: Int64) { retryAfter = max(retryAfter, until) }
}
