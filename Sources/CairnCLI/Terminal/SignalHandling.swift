import ArgumentParser
import LibC
import Synchronization

/// Handles Ctrl-C in commands that can stop cleanly: the first Ctrl-C requests a stop, the second
/// ends the process.
enum SignalHandling {
  private static let requested = Atomic(false)
  private static let isWatching = Atomic(false)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Whether the operation of ``watch(_:)`` should stop.
  static var shouldStop: Bool { isWatching.load(ordering: .relaxed) && isRequested }

  /// Runs an operation that Ctrl-C stops.
  static func watch<Value>(_ operation: () throws -> Value) rethrows -> Value {
    watchSignal()
    isWatching.store(true, ordering: .relaxed)
    defer { isWatching.store(false, ordering: .relaxed) }
    return try operation()
  }

  private static func watchSignal() {
    // Initialize it here: a signal handler must not do that.
    _ = isRequested
    signal(SIGINT) { _ in
      SignalHandling.requested.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
    // The parent process may have blocked the signal, as thread pools do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// If a stop was requested, prints a message and throws the exit code.
  static func end() throws {
    guard isRequested else { return }
    Console.note("stopped; run the same command again to continue.")
    throw ExitCode(exitCode)
  }

  /// The exit code that shells report for a program ended by SIGINT.
  private static let exitCode: Int32 = 130
}
