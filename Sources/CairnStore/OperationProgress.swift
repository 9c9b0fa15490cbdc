/// The progress of an operation.
public struct OperationProgress: Equatable, Sendable, CustomStringConvertible {
  /// The bytes of a transfer of images.
  public struct Bytes: Equatable, Sendable {
    /// The number of bytes that were transferred.
    public let completed: Int
    /// The size of all images to transfer.
    public let total: Int

    package init(completed: Int, total: Int) {
      (self.completed, self.total) = (completed, total)
    }
  }

  /// What is being done: “sending objects”.
  public let step: String
  /// The number of items that are done.
  public let completed: Int
  /// Zero if it is unknown.
  public let total: Int
  /// Nil unless images are transferred.
  public let bytes: Bytes?

  package init(_ step: String, _ completed: Int, of total: Int, bytes: Bytes? = nil) {
    (self.step, self.completed, self.total, self.bytes) = (step, completed, total, bytes)
  }

  /// The progress as text: “sending objects 12 of 40”.
  public var description: String {
    total > 0 ? "\(step) \(completed) of \(total)" : "\(step) \(completed)"
  }
}
