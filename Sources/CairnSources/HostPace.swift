/// How often, and how many at a time, a host may be asked.
public struct HostPace: Sendable, Equatable {
  /// On average, over a long time.
  public var perMinute: Int
  /// How many may go at once after a rest.
  public var burst: Int
  /// How many may be under way at the same time.
  public var lines: Int

  public init(perMinute: Int, burst: Int, lines: Int) {
    (self.perMinute, self.burst, self.lines) = (perMinute, burst, lines)
  }
}

/// What one host was asked lately: a token bucket, and the rest that the host asked for.
///
/// Source: the bucket is kept as the time at which it would be full, as in ITU-T I.371, “Generic Cell
/// Rate Algorithm”, virtual scheduling.
struct HostTraffic {
  let pace: HostPace
  private(set) var running = 0
  /// When the bucket is full again, in milliseconds.
  private var full: Int64 = .min
  private var restsUntil: Int64 = .min

  init(_ pace: HostPace) { self.pace = pace }

  private var interval: Int64 { Int64(60_000 / max(1, pace.perMinute)) }

  /// When the next request may go, in milliseconds; nil while as many as may be are under way.
  func earliest(now: Int64) -> Int64? {
    if running >= pace.lines { return nil }
    let room = full == .min ? now : full - interval * Int64(pace.burst - 1)
    return max(now, room, restsUntil)
  }

  mutating func begin(now: Int64) {
    running += 1
    full = max(full, now) + interval
  }

  mutating func end() { running -= 1 }

  mutating func rest(until: Int64) { restsUntil = max(restsUntil, until) }
}
