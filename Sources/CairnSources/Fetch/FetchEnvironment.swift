internal import LibC

/// The clock used by a fetch. Tests supply their own.
package struct FetchEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970.
  package var now: @Sendable () -> Int64
  /// Returns at this time, or as soon as the fetch is canceled.
  package var wait: @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void

  package init(
    now: @escaping @Sendable () -> Int64,
    wait: @escaping @Sendable (_ until: Int64, _ isCancelled: () -> Bool) -> Void
  ) {
    (self.now, self.wait) = (now, wait)
  }

  /// The clock of this machine.
  package static func machine(now: @escaping @Sendable () -> Int64) -> FetchEnvironment {
    FetchEnvironment(now: now) { until, isCancelled in
      while !isCancelled() {
        let left = until - now()
        if left <= 0 { return }
        usleep(UInt32(min(left, 100)) * 1000)
      }
    }
  }
}
