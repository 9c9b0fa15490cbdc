/// Allows events at a rate, and a burst of more.
struct TokenBucket: Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var last: ContinuousClock.Instant?

  init(perSecond: Double, burst: Double) {
    (self.perSecond, self.burst) = (perSecond, burst)
    tokens = burst
  }

  /// Returns whether an event is allowed now, and counts it.
  mutating func take(at now: ContinuousClock.Instant = .now) -> Bool {
    if let last { tokens = min(burst, tokens + (now - last) / .seconds(1) * perSecond) }
    last = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
