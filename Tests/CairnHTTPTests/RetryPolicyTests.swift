import CairnHTTP
import Testing

@Suite("When to try again")
struct RetryPolicyTests {
  private let policy = RetryPolicy()

  private func delay(
    _ kind: HTTPError.Kind, failures: Int = 1, random: UInt64 = .max, after: Int64? = nil
  ) -> Int64? {
    policy.delayMilliseconds(
      after: HTTPError(kind, host: "h", retryAfterMilliseconds: after), failures: failures,
      random: random)
  }

  @Test("waits grow to a bound, and chance spreads each from nothing to its longest")
  func growth() {
    let longest = (1...7).compactMap { failures in
      (0..<1000).compactMap { delay(.cutOff, failures: failures, random: $0 &* 7919) }.max()
    }
    for (wait, bound) in zip(longest, [250, 500, 1000, 2000, 4000, 8000, 10_000]) {
      #expect(wait < bound && wait >= bound / 2)
    }
    #expect(delay(.cutOff, random: 0) == 0)
    #expect(delay(.cutOff, failures: 8) == nil)
  }

  @Test("what would fail again is not tried again")
  func hopeless() {
    for kind: HTTPError.Kind in [
      .untrusted, .tooLarge, .invalidAddress, .cancelled, .status(401), .status(403), .status(404),
      .status(422), .status(501), .status(507), .status(509),
    ] { #expect(delay(kind) == nil) }
    for kind: HTTPError.Kind in [
      .timedOut, .cutOff, .status(429), .status(500), .status(502), .status(503), .status(504),
    ] { #expect(delay(kind) != nil) }
  }

  @Test("whoever is offline is told soon")
  func offline() {
    #expect(delay(.unresolved, failures: 2) != nil)
    #expect(delay(.unresolved, failures: 3) == nil)
    #expect(delay(.refused, failures: 3) == nil)
  }

  @Test("an answer may take a while, and longer the more of it comes")
  func timeout() {
    let fixed = HTTPDeadline(milliseconds: 60_000)
    #expect(!fixed.isOver(after: 60_000, taken: 0) && fixed.isOver(after: 60_001, taken: .max))
    let earned = HTTPDeadline(milliseconds: 60_000, bytesPerSecond: 4096)
    #expect(earned.isOver(after: 60_300, taken: 4 * 60))
    #expect(!earned.isOver(after: 160_000, taken: 409_600))
    #expect(earned.isOver(after: 160_001, taken: 409_600))
  }

  @Test("a server's own wish is kept, up to a bound")
  func wishes() throws {
    let wait = try #require(delay(.status(429), after: 5000))
    #expect(5000...5250 ~= wait)
    #expect(delay(.status(503), after: 120_001) == nil)
  }
}
