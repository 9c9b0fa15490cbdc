import Testing

@testable import CairnSources

@Suite("Rate limit")
struct RateLimitTests {
  /// Returns when each of `count` requests is sent if no connection is ever busy.
  private func times(_ count: Int, _ limit: RateLimit, from start: Int64 = 0) -> [Int64] {
    var (limiter, now, times) = (RateLimiter(limit), start, [Int64]())
    for _ in 0..<count {
      now = limiter.earliest(now: now)!
      limiter.begin(now: now)
      limiter.end()
      times.append(now)
    }
    return times
  }

  @Test("sends a burst at once and the remaining requests at the configured rate")
  func bucket() {
    let limit = RateLimit(perMinute: 60, burst: 3, connections: 4)
    #expect(times(6, limit) == [0, 0, 0, 1000, 2000, 3000])
    #expect(times(2, RateLimit(perMinute: 20, burst: 1, connections: 1), from: 50) == [50, 3050])
  }

  @Test("allows at most the rate plus one burst in any minute", arguments: 0..<20)
  func bound(seed: Int) {
    let limit = RateLimit(perMinute: 30 + seed * 7, burst: 1 + seed % 5, connections: 9)
    let times = times(400, limit)
    for (index, time) in times.enumerated() {
      let within = times[index...].count { $0 < time + 60_000 }
      // The rate is applied in whole milliseconds.
      #expect(within <= limit.perMinute + limit.burst + 1)
    }
  }

  @Test("refills the bucket during a pause up to its capacity")
  func rest() {
    var limiter = RateLimiter(RateLimit(perMinute: 60, burst: 2, connections: 4))
    for _ in 0..<2 { limiter.begin(now: 0) }
    #expect(limiter.earliest(now: 0) == 1000)
    #expect(limiter.earliest(now: 100_000) == 100_000)
    for _ in 0..<2 { limiter.begin(now: 100_000) }
    #expect(limiter.earliest(now: 100_000) == nil, "four are in flight")
    limiter.end()
    #expect(limiter.earliest(now: 100_000) == 101_000)
  }

  @Test("waits as long as the host asks")
  func asked() {
    var limiter = RateLimiter(RateLimit(perMinute: 600, burst: 5, connections: 2))
    limiter.begin(now: 0)
    limiter.end()
    limiter.pause(until: 30_000)
    limiter.pause(until: 10_000)
    #expect(limiter.earliest(now: 0) == 30_000)
    #expect(limiter.earliest(now: 40_000) == 40_000)
  }
}
