package import CairnStore
package import CairnTransport
internal import LibC

/// The result of erasing images at a remote.
package struct ImageErasureReport: Sendable {
  /// The images of which nothing is left there.
  package internal(set) var erased: [Pointer] = []
  /// The images that the remote has and offers no way to delete.
  package internal(set) var kept: [Pointer] = []
  /// The images that could not be erased, each with its error.
  package internal(set) var failed: [(image: Pointer, error: TransportError)] = []
}

extension ImageTransfer {
  /// Maximum number of attempts to erase an image when the remote fails for a moment.
  private static let eraseAttempts = 4

  /// Erases images at the remote, one after the other.
  ///
  /// - Throws: Errors of this machine; errors of the remote are in the report.
  package func erase(_ images: [Pointer]) throws -> ImageErasureReport {
    try ask(images) { try $0.erase(ImageObject($1)) }
  }

  /// Asks the remote which images it has, one after the other; the report lists those as kept.
  ///
  /// - Throws: Errors of this machine; errors of the remote are in the report.
  package func findErased(_ images: [Pointer]) throws -> ImageErasureReport {
    try ask(images) { try $0.has(ImageObject($1)) ? .kept : .erased }
  }

  private func ask(
    _ images: [Pointer], _ ask: (any ImageConnection, Pointer) throws -> RemoteErasure
  ) throws -> ImageErasureReport {
    var report = ImageErasureReport()
    var connection: (any ImageConnection)?
    var end: TransportError?
    for image in images {
      if let end {
        report.failed.append((image, end))
        continue
      }
      do {
        switch try attempting(&connection, { try ask($0, image) }) {
        case .erased: report.erased.append(image)
        case .kept: report.kept.append(image)
        }
      } catch let error as TransferError {
        let isForAll = error.scope == .remote || error.isBeforeConnection
        let cause = error.imageError(of: isForAll ? nil : image)
        report.failed.append((image, cause))
        if isForAll { end = cause }
      }
    }
    return report
  }

  /// Runs a step, again after a failure that may pass, over a new connection.
  private func attempting<Result>(
    _ connection: inout (any ImageConnection)?, _ step: (any ImageConnection) throws -> Result
  ) throws -> Result {
    for attempt in 1... {
      do {
        let open = try connection ?? remote.connect()
        connection = open
        return try step(open)
      } catch let error as TransferError {
        connection = nil
        let mayHelp =
          error.isTransient && attempt < min(error.attempts, ImageTransfer.eraseAttempts)
        guard mayHelp, !options.isCancelled() else { throw error }
        usleep(UInt32(attempt) * 100_000)
      }
    }
    preconditionFailure("an endless loop ended")
  }
}
