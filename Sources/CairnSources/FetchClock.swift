internal import LibC

/// The time, and waiting for it. Tests bring their own.
public struct FetchClock: Sendable {
  /// Returns milliseconds since 1970.
  public var now: @Sendable () -> Int64
  /// Returns when it is so late, or when it is asked to stop.
  public var wait: @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void

  public init(
    now: @escaping @Sendable () -> Int64,
    wait: @escaping @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void
  ) {
    (self.now, self.wait) = (now, wait)
  }

  /// The clock of this machine.
  public static func machine(now: @escaping @Sendable () -> Int64) -> FetchClock {
    FetchClock(now: now) { until, isCancelled in
      while !isCancelled() {
        let left = until - now()
        if left <= 0 { return }
        usleep(UInt32(min(left, 100)) * 1000)
      }
    }
  }
}
