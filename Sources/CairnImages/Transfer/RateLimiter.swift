internal import LibC
internal import Synchronization

/// A limit on the rate at which all connections of a transfer send or receive bytes together.
///
/// A thread that has moved bytes waits until their time is over; meanwhile, the other side waits as
/// well, since the buffers between them are bounded.
final class RateLimiter: Sendable {
  private let bytesPerSecond: Int
  private let isCancelled: @Sendable () -> Bool
  private let now: @Sendable () -> Int64
  private let sleep: @Sendable (_ milliseconds: Int64) -> Void
  /// The time at which all bytes so far are over, in milliseconds.
  private let next = Mutex<Int64>(0)

  /// - Parameters:
  ///   - now: Returns the time in milliseconds; it never goes back.
  ///   - sleep: Waits for a few milliseconds.
  init(
    bytesPerSecond: Int, isCancelled: @escaping @Sendable () -> Bool,
    now: @escaping @Sendable () -> Int64 = { RateLimiter.monotonicTime() },
    sleep: @escaping @Sendable (_ milliseconds: Int64) -> Void = { usleep(UInt32($0) * 1000) }
  ) {
    (self.bytesPerSecond, self.isCancelled) = (max(1, bytesPerSecond), isCancelled)
    (self.now, self.sleep) = (now, sleep)
  }

  private static let start = ContinuousClock.now

  private static func monotonicTime() -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// Returns the number of connections at which each piece takes a few seconds at most, so that no
  /// server gives up.
  static func connections(atRate bytesPerSecond: Int) -> Int { max(1, bytesPerSecond >> 17) }

  /// Returns when the time of this many bytes, and of those before them, is over.
  func wait(for bytes: Int) {
    guard bytes > 0 else { return }
    let end = next.withLock { next in
      let milliseconds = (Int64(bytes) * 1000 + Int64(bytesPerSecond) - 1) / Int64(bytesPerSecond)
      next = max(next, now()) + milliseconds
      return next
    }
    while !isCancelled() {
      let left = end - now()
      if left <= 0 { return }
      sleep(min(left, 100))
    }
  }
}
