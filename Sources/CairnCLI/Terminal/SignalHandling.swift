import ArgumentParser
import LibC
import Synchronization

/// Ctrl-C, for work that ends well when it is asked to: the first asks it to, the second ends it.
enum SignalHandling {
  private static let requested = Atomic(false)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  static func watch() {
    // The handler of a signal must not be the first to use it.
    _ = isRequested
    signal(SIGINT) { _ in
      SignalHandling.requested.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
    // Who started us may have blocked it, as the threads of a pool do.
    var heard = sigset_t()
    sigemptyset(&heard)
    sigaddset(&heard, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
  }

  /// Says that the work stopped, and ends the command, if that was asked for.
  static func end() throws {
    guard isRequested else { return }
    Console.note("stopped; the same command goes on where it was.")
    throw ExitCode(exitCode)
  }

  /// The exit code of a program that SIGINT ended, as shells have it.
  private static let exitCode: Int32 = 130
}
