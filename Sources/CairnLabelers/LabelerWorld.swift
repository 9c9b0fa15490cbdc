internal import LibC

/// What labelers take from outside themselves: time, chance and variables. Tests bring their own.
public struct LabelerWorld: Sendable {
  /// Returns the wall clock, in milliseconds since 1970.
  public var now: @Sendable () -> Int64
  /// Returns milliseconds of a clock that only goes forward.
  public var monotonic: @Sendable () -> Int64
  /// Returns 64 random bits.
  public var random: @Sendable () -> UInt64
  /// Waits so many milliseconds.
  public var pause: @Sendable (Int64) -> Void
  /// Returns a variable of the environment.
  public var environment: @Sendable (String) -> String?

  /// The machine this runs on.
  public static let machine = LabelerWorld(
    now: { milliseconds(of: CLOCK_REALTIME) },
    monotonic: { milliseconds(of: CLOCK_MONOTONIC) },
    random: { UInt64.random(in: 0 ... .max) },
    pause: { milliseconds in
      var time = timespec(
        tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
      nanosleep(&time, nil)
    },
    environment: { getenv($0).map { String(cString: $0) } })
}

private func milliseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
