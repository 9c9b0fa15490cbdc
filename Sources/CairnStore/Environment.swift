package import CairnFiles
internal import LibC
package import SystemPackage

/// The environment of a dataset: clock, randomness, file system, programs, and progress reports.
/// Tests pass their own.
package struct Environment: Sendable {
  /// Returns the wall clock, in milliseconds since 1970.
  package var now: @Sendable () -> Int64
  /// Returns 64 random bits.
  package var random: @Sendable () -> UInt64
  package var files: FileSystem
  /// Returns the person who uses the dataset; nil for git's configuration. A server changes the
  /// person from one operation to the next.
  package var currentAuthor: @Sendable () -> Author? = { nil }
  /// Asks for the person when git's configuration names none; nil if that is not possible.
  package var onMissingIdentity: @Sendable () -> Author? = { nil }
  /// Returns the path of a program, such as `git`; nil if it is not installed.
  package var findProgram: @Sendable (String) -> FilePath?
  /// Called with a message for people before an operation that takes a while.
  package var onMessage: @Sendable (String) -> Void = { _ in }
  /// Called with the progress of the current operation, by one thread at a time.
  package var onProgress: @Sendable (OperationProgress) -> Void = { _ in }
  /// Polled by operations; returns true to stop the current one.
  package var isCancelled: @Sendable () -> Bool = { false }

  package init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64,
    files: FileSystem,
    findProgram: @escaping @Sendable (String) -> FilePath? = { Environment.programInPath($0) }
  ) {
    (self.now, self.random, self.files) = (now, random, files)
    self.findProgram = findProgram
  }

  /// The person who uses the dataset; nil for git's configuration.
  package var author: Author? {
    get { currentAuthor() }
    set { currentAuthor = { newValue } }
  }

  /// Reports how far a step of the current operation is.
  ///
  /// - Parameter total: 0 if it is unknown.
  package func report(_ step: String, _ completed: Int, of total: Int) {
    onProgress(OperationProgress(step, completed, of: total))
  }

  /// Throws an error if the current operation should stop.
  package func checkCancellation() throws(CancellationError) {
    if isCancelled() { throw CancellationError() }
  }

  /// Returns the path of the program that a shell would run for `name`; nil if `PATH` has none.
  package static func programInPath(_ name: String) -> FilePath? {
    guard let path = getenv("PATH") else { return nil }
    for directory in String(cString: path).split(separator: ":") {
      let program = "\(directory)/\(name)"
      if access(program, X_OK) == 0 { return FilePath(program) }
    }
    return nil
  }

  /// The environment of this machine.
  package static let machine = Environment(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    random: { UInt64.random(in: 0 ... .max) },
    files: FileSystem())
}
