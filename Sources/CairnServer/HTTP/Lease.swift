internal import Synchronization

/// Something that ends once: explicitly, or when nobody holds it any more.
final class Lease: Sendable {
  private let onEnd: Mutex<(@Sendable () -> Void)?>

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = Mutex(onEnd) }

  func end() {
    let action = onEnd.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  deinit { end() }
}
