internal import Synchronization

/// Counts the connections of each other computer, so that none of them uses up all connections.
final class AddressLimit: Sendable {
  private let counts = Mutex<[String: Int]>([:])
  private let limit: Int

  init(_ limit: Int) { self.limit = limit }

  /// Counts a connection, and returns whether it may be served; if so, call ``end(_:)`` at its end.
  ///
  /// - Parameter address: An IPv4 address; those of this computer are not limited.
  func begin(_ address: String?) -> Bool {
    guard let address, !address.hasPrefix("127.") else { return true }
    return counts.withLock { counts in
      guard counts[address, default: 0] < limit else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  /// Ends a connection that was served.
  func end(_ address: String?) {
    guard let address else { return }
    counts.withLock { counts in
      guard let count = counts[address] else { return }
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}
