import LibC
import Synchronization

/// Ctrl-C, for work that ends well when it is asked to: the first asks it to, the second ends it.
enum Interruption {
  private static let requested = Atomic(false)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  static func watch() {
    // The handler of a signal must not be the first to use it.
    _ = isRequested
    signal(SIGINT) { _ in
      Interruption.requested.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// The exit code of a program that SIGINT ended, as shells have it.
  static let exitCode: Int32 = 130
}
