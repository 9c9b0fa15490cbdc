import CairnHTTP
import Testing

@Suite("Retry policy")
struct RetryPolicyTests {
  private let policy = RetryPolicy()

  private func delay(
    _ kind: HTTPError.Kind, failures: Int = 1, random: UInt64 = .max, after: Int64? = nil
  ) -> Int64? {
    policy.delayMilliseconds(
      after: HTTPError(kind, host: "h", retryAfterMilliseconds: after), failures: failures,
      random: random)
  }

  @Test("doubles the longest wait up to a bound and randomizes each wait")
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

  @Test("retries only failures that may be temporary")
  func hopeless() {
    for kind: HTTPError.Kind in [
      .untrusted, .tooLarge, .invalidAddress, .cancelled, .status(401), .status(403), .status(404),
      .status(422), .status(501), .status(507), .status(509),
    ] { #expect(delay(kind) == nil) }
    for kind: HTTPError.Kind in [
      .timedOut, .cutOff, .status(429), .status(500), .status(502), .status(503), .status(504),
    ] { #expect(delay(kind) != nil) }
  }

  @Test("gives up early when the host cannot be reached")
  func offline() {
    #expect(delay(.unresolved, failures: 2) != nil)
    #expect(delay(.unresolved, failures: 3) == nil)
    #expect(delay(.refused, failures: 3) == nil)
    #expect(delay(.timedOut, failures: 3) == nil)
    let silent = HTTPError(.timedOut, host: "h", stage: .sent)
    #expect(policy.delayMilliseconds(after: silent, failures: 3, random: 0) != nil)
  }

  @Test("extends the deadline as bytes arrive")
  func timeout() {
    let fixed = HTTPDeadline(milliseconds: 60_000)
    #expect(
      !fixed.isOver(after: 60_000, accepted: 0) && fixed.isOver(after: 60_001, accepted: .max))
    let earned = HTTPDeadline(milliseconds: 60_000, bytesPerSecond: 4096)
    #expect(earned.isOver(after: 60_300, accepted: 4 * 60))
    #expect(!earned.isOver(after: 160_000, accepted: 409_600))
    #expect(earned.isOver(after: 160_001, accepted: 409_600))
  }

  @Test("waits as long as a server asks, or gives up when that is too long")
  func wishes() throws {
    let wait = try #require(delay(.status(429), after: 5000))
    #expect(5000...5250 ~= wait)
    #expect(delay(.status(503), after: 120_001) == nil)
  }
}
