public import CairnFiles
internal import LibC

/// What a dataset takes from outside itself: time, chance and the disk. Tests bring their own.
public struct World: Sendable {
  /// Returns the wall clock, in milliseconds since 1970.
  public var now: @Sendable () -> Int64
  /// Returns 64 random bits.
  public var random: @Sendable () -> UInt64
  public var files: FileSystem

  public init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64,
    files: FileSystem
  ) {
    (self.now, self.random, self.files) = (now, random, files)
  }

  /// The machine this runs on.
  public static let machine = World(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    random: { UInt64.random(in: 0 ... .max) },
    files: FileSystem())
}
