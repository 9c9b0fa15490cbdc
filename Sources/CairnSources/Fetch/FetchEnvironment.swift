internal import LibC

/// The clock used by a fetch. Tests supply their own.
public struct FetchEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970.
  public var now: @Sendable () -> Int64
  /// Returns at this time, or as soon as the fetch is cancelled.
  public var wait: @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void

  public init(
    now: @escaping @Sendable () -> Int64,
    wait: @escaping @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void
  ) {
    (self.now, self.wait) = (now, wait)
  }

  /// The clock of this machine.
  public static func machine(now: @escaping @Sendable () -> Int64) -> FetchEnvironment {
    FetchEnvironment(now: now) { until, isCancelled in
      while !isCancelled() {
        let left = until - now()
        if left <= 0 { return }
        usleep(UInt32(min(left, 100)) * 1000)
      }
    }
  }
}
