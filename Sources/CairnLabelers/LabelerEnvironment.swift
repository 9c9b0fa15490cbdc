internal import LibC

/// The environment of labelers: clocks, randomness and variables. Tests supply their own.
package struct LabelerEnvironment: Sendable {
  /// Returns the wall clock time, in milliseconds since 1970.
  package var now: @Sendable () -> Int64
  /// Returns the time of a monotonic clock, in milliseconds.
  package var monotonic: @Sendable () -> Int64
  /// Returns 64 random bits.
  package var random: @Sendable () -> UInt64
  /// Waits for a number of milliseconds.
  package var pause: @Sendable (Int64) -> Void
  /// Returns an environment variable.
  package var variable: @Sendable (String) -> String?
  /// The Python that may have ONNX Runtime: a path, or a name that is searched for in `PATH`.
  package var python = "python3"

  /// The environment of this machine.
  package static let machine = LabelerEnvironment(
    now: { milliseconds(of: CLOCK_REALTIME) },
    monotonic: { milliseconds(of: CLOCK_MONOTONIC) },
    random: { UInt64.random(in: 0 ... .max) },
    pause: { milliseconds in
      var time = timespec(
        tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
      nanosleep(&time, nil)
    },
    variable: { getenv($0).map { String(cString: $0) } })
}

private func milliseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
