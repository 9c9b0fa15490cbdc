import Testing

@testable import CairnSources

@Suite("How often a host is asked")
struct RateLimitTests {
  /// When each of so many requests goes, one line after the other never being the bound.
  private func times(_ count: Int, _ pace: RateLimit, from start: Int64 = 0) -> [Int64] {
    var (traffic, now, times) = (RateLimiter(pace), start, [Int64]())
    for _ in 0..<count {
      now = traffic.earliest(now: now)!
      traffic.begin(now: now)
      traffic.end()
      times.append(now)
    }
    return times
  }

  @Test("as many as may go at once go at once, the others at the pace")
  func bucket() {
    let pace = RateLimit(perMinute: 60, burst: 3, lines: 4)
    #expect(times(6, pace) == [0, 0, 0, 1000, 2000, 3000])
    #expect(times(2, RateLimit(perMinute: 20, burst: 1, lines: 1), from: 50) == [50, 3050])
  }

  @Test("in no minute there are more than the pace and one burst", arguments: 0..<20)
  func bound(seed: Int) {
    let pace = RateLimit(perMinute: 30 + seed * 7, burst: 1 + seed % 5, lines: 9)
    let times = times(400, pace)
    for (index, time) in times.enumerated() {
      let within = times[index...].count { $0 < time + 60_000 }
      // The pace is kept in whole milliseconds.
      #expect(within <= pace.perMinute + pace.burst + 1)
    }
  }

  @Test("a rest gives the bucket time to fill, and no more than that")
  func rest() {
    var traffic = RateLimiter(RateLimit(perMinute: 60, burst: 2, lines: 4))
    for _ in 0..<2 { traffic.begin(now: 0) }
    #expect(traffic.earliest(now: 0) == 1000)
    #expect(traffic.earliest(now: 100_000) == 100_000)
    for _ in 0..<2 { traffic.begin(now: 100_000) }
    #expect(traffic.earliest(now: 100_000) == nil, "four are under way")
    traffic.end()
    #expect(traffic.earliest(now: 100_000) == 101_000)
  }

  @Test("what a host asks for is kept")
  func asked() {
    var traffic = RateLimiter(RateLimit(perMinute: 600, burst: 5, lines: 2))
    traffic.begin(now: 0)
    traffic.end()
    traffic.rest(until: 30_000)
    traffic.rest(until: 10_000)
    #expect(traffic.earliest(now: 0) == 30_000)
    #expect(traffic.earliest(now: 40_000) == 40_000)
  }
}
