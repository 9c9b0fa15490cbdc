internal import CairnDocument
public import CairnHTTP
public import CairnStore
internal import CairnTransport

/// Moves images between this copy and a remote, several at once: only those that are missing on the other
/// side, each checked, and tried again where that may help.
public struct ImageTransfer {
  public struct Options: Sendable {
    /// How many images move at once, where the remote bears it.
    public var lines = 8
    public var retries = RetryPolicy()
    /// Called now and then, by one thread at a time.
    public var progress: @Sendable (ImageProgress) -> Void = { _ in }
    public var isCancelled: @Sendable () -> Bool = { false }

    public init() {}
  }

  private let remote: any ImageRemote
  private let store: BlobStore
  private let options: Options

  public init(
    _ remote: any ImageRemote, _ store: BlobStore, _ options: Options = Options()
  ) {
    (self.remote, self.store, self.options) = (remote, store, options)
  }

  /// Sends what the remote lacks.
  ///
  /// - Returns: What became of it; images that are neither here nor there are missing.
  /// - Throws: What went wrong on this machine; what went wrong on the way is in the report.
  public func send(_ images: [Pointer]) throws -> ImageReport {
    let report = try run(.upload, images) { answer, image in
      switch answer {
      case .there: .known
      case .absent(let ticket):
        try store.size(of: image.id) == image.size ? .move(ticket) : .missing
      case .refused(let error): .failed(error)
      }
    } move: { line, image, ticket, progress in
      try line.send(image, from: store.path(of: image.id), ticket, progress: progress)
    }
    if report.moved > 0 { try remote.settle() }
    return report
  }

  /// Brings what is not here.
  ///
  /// - Returns: What became of it; images that the remote has not are missing.
  /// - Throws: What went wrong on this machine; what went wrong on the way is in the report.
  public func receive(_ images: [Pointer]) throws -> ImageReport {
    let wanted = try images.filter { try store.size(of: $0.id) != $0.size }
    let report = try run(.download, wanted) { answer, _ in
      switch answer {
      case .there(let ticket): .move(ticket)
      case .absent: .missing
      case .refused(let error): .failed(error)
      }
    } move: { line, image, ticket, progress in
      let partial = try store.partial(image)
      partial.onAppend = progress
      do {
        if partial.count < image.size { try line.receive(image, into: partial, ticket) }
        try partial.finish()
      } catch StoreError.corruptBlob {
        let cause = TransportError(
          .damaged, remote.address, "what it has as image \(image.id.short)… is not that image")
        throw TransferError(cause, isTransient: true, attempts: 2)
      }
    }
    if report.moved > 0 { try store.flush() }
    return report
  }

  /// Asks which images the remote has; they are the known ones of the report.
  public func check(_ images: [Pointer]) throws -> ImageReport {
    try run(.download, images) { answer, _ in
      switch answer {
      case .there: .known
      case .absent: .missing
      case .refused(let error): .failed(error)
      }
    } move: { _, _, _, _ in
    }
  }

  private func run(
    _ direction: ImageDirection, _ images: [Pointer],
    judge: (ImageAnswer, Pointer) throws -> TransferRun.Verdict,
    move: (any ImageLine, Pointer, ImageTicket, @escaping (Int) -> Void) throws -> Void
  ) throws -> ImageReport {
    // The closures end with this call, and all threads with it.
    try withoutActuallyEscaping(judge) { judge in
      try withoutActuallyEscaping(move) { move in
        let run = TransferRun(
          direction, images, remote, world: store.world, options: options, judge: judge, move: move)
        return try run.run(lines: min(options.lines, remote.lines, images.count))
      }
    }
  }
}

/// How far a transfer is.
public struct ImageProgress: Sendable, Equatable {
  public let direction: ImageDirection
  public internal(set) var images = 0
  public internal(set) var bytes = 0
  /// Those that need not move are taken off.
  public internal(set) var totalImages: Int
  public internal(set) var totalBytes: Int
}

/// What became of a transfer.
public struct ImageReport: Sendable {
  public internal(set) var moved = 0
  /// Of the images that moved.
  public internal(set) var bytes = 0
  /// Those that the remote has.
  public internal(set) var known: [Pointer] = []
  public internal(set) var missing: [Pointer] = []
  /// Those that did not move though they are somewhere, each with why.
  public internal(set) var failed: [(image: Pointer, error: TransferError)] = []
  /// What ended it before all were tried.
  public internal(set) var end: TransferError?

  public init() {}

  /// Why not all that could move did.
  public var failure: TransferError? { end ?? failed.first?.error }
}
