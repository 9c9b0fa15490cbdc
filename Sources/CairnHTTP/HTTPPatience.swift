/// How long an answer may take in all: a while, and more as more of it comes. Whoever sends a byte now and
/// then is not waited for.
public struct HTTPPatience: Sendable, Equatable {
  public var milliseconds: Int64
  /// So many bytes of a body that is taken earn another second; nil where none do.
  public var bytesPerSecond: Int?

  public init(milliseconds: Int64, bytesPerSecond: Int? = nil) {
    (self.milliseconds, self.bytesPerSecond) = (milliseconds, bytesPerSecond)
  }

  /// Returns whether it has come to its end.
  ///
  /// - Parameters:
  ///   - elapsed: Milliseconds since the request was sent.
  ///   - taken: How many bytes of the body were taken until now.
  public func isOver(after elapsed: Int64, taken: Int) -> Bool {
    let earned = bytesPerSecond.map { Double(taken) / Double(max(1, $0)) * 1000 } ?? 0
    return Double(elapsed) > Double(milliseconds) + earned
  }
}
