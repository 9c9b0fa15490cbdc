package import CairnDocument
package import CairnHTTP
package import CairnStore
package import CairnTransport

/// A transfer of images between this copy and a remote, several at once: only those missing on the
/// other side, each verified, with retries for transient errors.
package struct ImageTransfer {
  package struct Options: Sendable {
    /// Maximum number of concurrent transfers, if the remote allows that many.
    package var connections = 8
    package var retries = RetryPolicy()
    /// Maximum rate of all transfers together; nil for no limit.
    package var bytesPerSecond: Int?
    /// Called periodically, by one thread at a time.
    package var progress: @Sendable (ImageProgress) -> Void = { _ in }
    package var isCancelled: @Sendable () -> Bool = { false }

    package init() {}
  }

  let remote: any ImageRemote
  private let store: BlobStore
  let options: Options

  package init(
    _ remote: any ImageRemote, _ store: BlobStore, _ options: Options = Options()
  ) {
    (self.remote, self.store, self.options) = (remote, store, options)
  }

  /// Sends the images that the remote lacks.
  ///
  /// - Parameter damaged: Images to send although the remote has them, since its copies are damaged.
  /// - Returns: A report; images that are on neither side are missing.
  /// - Throws: Errors of this machine; errors of the transfer are in the report.
  package func send(
    _ images: [Pointer], replacing damaged: Set<PhotoID> = []
  ) throws -> ImageReport {
    try run(.upload, images, group: sendGroup) { status, image in
      switch status {
      case .present(var action) where damaged.contains(image.id):
        action.replaces = true
        return try store.size(of: image.id) == image.size ? .move(action) : .missing
      case .present: return .known
      case .missing(let action):
        return try store.size(of: image.id) == image.size ? .move(action) : .missing
      case .rejected(let error): return .failed(error)
      }
    } move: { connection, image, action, progress in
      try connection.send(
        ImageObject(image), from: store.path(of: image.id), action, progress: progress)
    }
  }

  private func sendGroup(
    over connection: any ImageConnection, _ images: [(image: Pointer, action: TransferAction)],
    done: (Int, TransferError?) -> Void
  ) throws {
    let uploads = images.map { image, action in
      ImageUpload(image: ImageObject(image), file: store.path(of: image.id), action: action)
    }
    try connection.send(uploads) { done($0, nil) }
  }

  /// Fetches the images that are not here.
  ///
  /// - Returns: A report; images that the remote lacks are missing.
  /// - Throws: Errors of this machine; errors of the transfer are in the report.
  package func receive(_ images: [Pointer]) throws -> ImageReport {
    let wanted = try images.filter { try store.size(of: $0.id) != $0.size }
    let group: TransferQueue.MoveGroup = {
      try receiveGroup(over: $0, $1, into: store.partial, done: $2)
    }
    let report = try run(.download, wanted, group: group) { status, _ in
      switch status {
      case .present(let action): .move(action)
      case .missing: .missing
      case .rejected(let error): .failed(error)
      }
    } move: { connection, image, action, progress in
      let partial = try store.partial(image)
      partial.onAppend = progress
      try receive(image, into: partial, action, over: connection)
    }
    if report.transferred > 0 { try store.flush() }
    return report
  }

  private func receive(
    _ image: Pointer, into partial: PartialBlob, _ action: TransferAction,
    over connection: any ImageConnection
  ) throws {
    do {
      if partial.count < image.size {
        try connection.receive(ImageObject(image), into: partial, action)
      }
      try partial.finish()
    } catch StoreError.corruptBlob {
      throw damage(of: image)
    }
  }

  private func damage(of image: Pointer) -> TransferError {
    let cause = TransportError(
      .damaged, remote.address, "its copy of image \(image.id.short)… is damaged")
    return TransferError(cause, isTransient: true, attempts: 2)
  }

  private func receiveGroup(
    over connection: any ImageConnection, _ images: [(image: Pointer, action: TransferAction)],
    into partial: (Pointer) throws -> PartialBlob, done: (Int, TransferError?) -> Void
  ) throws {
    let partials = try images.map { try partial($0.image) }
    let downloads = zip(images, partials).map { image, partial in
      ImageDownload(image: ImageObject(image.image), sink: partial, action: image.action)
    }
    try connection.receive(downloads) { position, error in
      if let error { return done(position, error) }
      do {
        try partials[position].finish()
        done(position, nil)
      } catch StoreError.corruptBlob {
        done(position, damage(of: images[position].image))
      }
    }
  }

  /// Verifies the content of the remote's images: by a checksum that the remote keeps or computes, if it
  /// can, otherwise by reading the image, which costs a download.
  ///
  /// - Returns: A report; images that are intact are known or transferred, damaged ones failed.
  /// - Throws: Errors of this machine; errors of the transfer are in the report.
  package func verify(_ images: [Pointer]) throws -> ImageReport {
    let group: TransferQueue.MoveGroup = {
      try receiveGroup(over: $0, $1, into: PartialBlob.init(verifying:), done: $2)
    }
    return try run(.download, images, over: remote.verifying(), group: group) { status, _ in
      switch status {
      case .present(let action) where action.isVerified: return .known
      case .present(var action):
        action.isVerification = true
        return .move(action)
      case .missing: return .missing
      case .rejected(let error): return .failed(error)
      }
    } move: { connection, image, action, progress in
      let partial = PartialBlob(verifying: image)
      partial.onAppend = progress
      try receive(image, into: partial, action, over: connection)
    }
  }

  /// Queries which images the remote has; the report lists them as known.
  ///
  /// - Parameter direction: What the answer is for: some keys permit an upload only.
  package func check(
    _ images: [Pointer], for direction: ImageDirection = .download
  ) throws -> ImageReport {
    try run(direction, images) { status, _ in
      switch status {
      case .present: .known
      case .missing: .missing
      case .rejected(let error): .failed(error)
      }
    } move: { _, _, _, _ in
    }
  }

  /// - Parameters:
  ///   - other: The remote, if it is not this transfer's own.
  ///   - group: Transfers small images together; nil to transfer each by itself.
  /// - Returns: A report; images that are too large to exist are missing.
  private func run(
    _ direction: ImageDirection, _ images: [Pointer], over other: (any ImageRemote)? = nil,
    group: TransferQueue.MoveGroup? = nil,
    decide: (RemoteStatus, Pointer) throws -> TransferQueue.Decision,
    move: (any ImageConnection, Pointer, TransferAction, @escaping (Int) -> Void) throws -> Void
  ) throws -> ImageReport {
    let possible = images.filter { $0.size <= Pointer.largestImage }
    // The closures and all threads end with this call.
    var report = try withoutActuallyEscaping(decide) { decide in
      try withoutActuallyEscaping(move) { move in
        let run = TransferQueue(
          direction, possible, other ?? remote, environment: store.environment, options: options,
          decide: decide, move: move, moveGroup: group)
        return try run.run(
          connections: min(
            options.connections, remote.connections, possible.count,
            options.bytesPerSecond.map(RateLimiter.connections) ?? .max))
      }
    }
    report.missing += images.filter { $0.size > Pointer.largestImage }
    return report
  }
}

/// The progress of a transfer.
package struct ImageProgress: Sendable, Equatable {
  package let direction: ImageDirection
  /// The number of images that are done.
  package internal(set) var images = 0
  /// The number of bytes that were transferred.
  package internal(set) var bytes = 0
  /// Excludes images that need no transfer.
  package internal(set) var totalImages: Int
  /// The total size of all images, in bytes.
  package internal(set) var totalBytes: Int
}

/// The result of a transfer.
package struct ImageReport: Sendable {
  package internal(set) var transferred = 0
  /// Total size of the transferred images.
  package internal(set) var bytes = 0
  /// The images that the remote has.
  package internal(set) var known: [Pointer] = []
  package internal(set) var missing: [Pointer] = []
  /// The images that exist but were not transferred, each with its error.
  package internal(set) var failed: [(image: Pointer, error: TransferError)] = []
  /// The error that ended the transfer before all images were tried.
  package internal(set) var end: TransferError?

  package init() {}

  /// The images whose bytes on the remote are not theirs.
  package var damaged: Set<PhotoID> {
    Set(failed.filter { $0.error.cause.kind == .damaged }.map(\.image.id))
  }

  /// The reason that not all existing images were transferred.
  package var failure: TransferError? { end ?? failed.first?.error }

  /// The reason that not all existing images were transferred, for people: it names the image if it
  /// concerns only that one.
  package var cause: TransportError? {
    end?.imageError(of: nil)
      ?? failed.first.map { image, error in
        error.imageError(of: error.scope == .remote ? nil : image)
      }
  }

  /// The reason that not all images could be verified; nil if all others are damaged.
  package var unverified: TransportError? {
    end?.imageError(of: nil)
      ?? failed.first { $0.error.cause.kind != .damaged }.map { $1.imageError(of: $0) }
  }
}
