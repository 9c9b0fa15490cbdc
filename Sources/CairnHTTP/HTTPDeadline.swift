/// A time limit for a whole response, extended as more of it arrives. A server that sends only a
/// byte now and then times out.
package struct HTTPDeadline: Sendable, Equatable {
  package var milliseconds: Int64
  /// Minimum transfer rate: each block of this many accepted bytes extends the deadline by one
  /// second; nil for no extension.
  package var bytesPerSecond: Int?

  package init(milliseconds: Int64, bytesPerSecond: Int? = nil) {
    (self.milliseconds, self.bytesPerSecond) = (milliseconds, bytesPerSecond)
  }

  /// Returns whether the deadline has passed.
  ///
  /// - Parameters:
  ///   - elapsed: Milliseconds since the request was sent.
  ///   - accepted: Number of body bytes accepted so far.
  package func isOver(after elapsed: Int64, accepted: Int) -> Bool {
    let earned = bytesPerSecond.map { Double(accepted) / Double(max(1, $0)) * 1000 } ?? 0
    return Double(elapsed) > Double(milliseconds) + earned
  }
}
