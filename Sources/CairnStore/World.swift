public import CairnFiles
internal import LibC
public import SystemPackage

/// What a dataset takes from outside itself: time, chance, the disk and programs. Tests bring their own.
public struct World: Sendable {
  /// Returns the wall clock, in milliseconds since 1970.
  public var now: @Sendable () -> Int64
  /// Returns 64 random bits.
  public var random: @Sendable () -> UInt64
  public var files: FileSystem
  /// Returns the program of a name, such as `git`; nil where it is not installed.
  public var findProgram: @Sendable (String) -> FilePath?

  public init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64,
    files: FileSystem,
    findProgram: @escaping @Sendable (String) -> FilePath? = { World.programInPath($0) }
  ) {
    (self.now, self.random, self.files) = (now, random, files)
    self.findProgram = findProgram
  }

  /// Returns the program `name` that a shell would run; nil when `PATH` has none.
  public static func programInPath(_ name: String) -> FilePath? {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":")
      .map { FilePath(String($0)).appending(name) }
      .first { access($0.string, X_OK) == 0 }
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
