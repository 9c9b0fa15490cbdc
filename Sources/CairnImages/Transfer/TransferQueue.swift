internal import CairnStore
internal import CairnTransport
internal import Dispatch
internal import LibC
internal import Synchronization

/// A running transfer: threads with one connection each and a shared plan.
final class TransferQueue: @unchecked Sendable {
  /// The meaning of a remote's status for an image.
  enum Decision {
    case move(TransferAction)
    case known
    case missing
    case failed(TransferError)
  }

  typealias Decide = (RemoteStatus, Pointer) throws -> Decision
  typealias Move = (any ImageConnection, Pointer, TransferAction, @escaping (Int) -> Void) throws ->
    Void
  /// Moves several small images, and calls its last parameter with the position of each that was moved
  /// or failed by itself.
  typealias MoveGroup = (
    any ImageConnection, [(image: Pointer, action: TransferAction)], (Int, TransferError?) -> Void
  ) throws -> Void

  private struct State {
    var plan: TransferPlan
    var report = ImageReport()
    var progress: ImageProgress

    /// Records an image that needs no transfer.
    mutating func finish(_ image: Pointer, _ list: WritableKeyPath<ImageReport, [Pointer]>) {
      report[keyPath: list].append(image)
      progress.totalImages -= 1
      progress.totalBytes = max(0, progress.totalBytes - image.size)
    }
  }

  // All threads call `decide` and `move`, which use only values and locked state.
  private let direction: ImageDirection
  private let remote: any ImageRemote
  private let environment: Environment
  private let options: ImageTransfer.Options
  private let decide: Decide
  private let move: Move
  private let moveGroup: MoveGroup?
  private let limiter: RateLimiter?
  private let state: Mutex<State>

  init(
    _ direction: ImageDirection, _ images: [Pointer], _ remote: any ImageRemote,
    environment: Environment,
    options: ImageTransfer.Options, decide: @escaping Decide, move: @escaping Move,
    moveGroup: MoveGroup?
  ) {
    (self.direction, self.remote, self.environment) = (direction, remote, environment)
    (self.options, self.decide, self.move) = (options, decide, move)
    self.moveGroup = moveGroup
    limiter = options.bytesPerSecond.map {
      RateLimiter(bytesPerSecond: $0, isCancelled: options.isCancelled)
    }
    state = Mutex(
      State(
        plan: TransferPlan(images, batchSize: remote.batchSize, retries: options.retries),
        progress: ImageProgress(
          direction: direction, totalImages: images.count,
          totalBytes: Pointer.totalSize(images))))
  }

  func run(connections: Int) throws -> ImageReport {
    let threads = DispatchGroup()
    for _ in 0..<connections {
      // Each queue has its own thread.
      DispatchQueue(label: "images").async(group: threads) { self.work() }
    }
    threads.wait()
    return try state.withLock { state in
      switch state.plan.end {
      case nil: break
      case let error as TransferError: state.report.end = error
      case let error?: throw error
      }
      state.report.failed += state.plan.failed
      return state.report
    }
  }

  private func work() {
    var connection: (any ImageConnection)?
    while true {
      if options.isCancelled() { stop() }
      switch state.withLock({ $0.plan.next(now: environment.now()) }) {
      case .done: return
      case .wait(let milliseconds): usleep(UInt32(max(1, min(milliseconds, 100))) * 1000)
      case .query(let items):
        attempt(items, &connection) { try query($0, items) }
      case .move(let item, let action):
        let others = others(with: item, action)
        if others.isEmpty {
          attempt([item], &connection) { try transfer(item, action, over: $0) }
        } else {
          transfer([(item: item, action: action)] + others, over: &connection)
        }
      }
    }
  }

  /// Takes more images to transfer together with a small one.
  private func others(
    with item: TransferPlan.Item, _ action: TransferAction
  ) -> [(item: TransferPlan.Item, action: TransferAction)] {
    guard moveGroup != nil, limiter == nil, TransferPlan.isSmall(item, action) else { return [] }
    let limit = remote.groupLimit(direction)
    return state.withLock { state in
      var others: [(item: TransferPlan.Item, action: TransferAction)] = []
      var bytes = item.pointer.size
      while others.count + 1 < limit.images, bytes < limit.bytes,
        let next = state.plan.nextSmall(now: environment.now())
      {
        others.append(next)
        bytes += next.item.pointer.size
      }
      return others
    }
  }

  /// Runs a step; discards the connection if the step fails.
  private func attempt(
    _ items: [TransferPlan.Item], _ connection: inout (any ImageConnection)?,
    _ step: (any ImageConnection) throws -> Void
  ) {
    do {
      let open = try connection ?? remote.connect()
      connection = open
      try step(open)
    } catch {
      connection = nil
      state.withLock {
        $0.plan.failed(items, error, now: environment.now(), random: environment.random())
      }
    }
  }

  private func query(_ connection: any ImageConnection, _ items: [TransferPlan.Item]) throws {
    let statuses = try connection.query(direction, about: items.map { ImageObject($0.pointer) })
    guard statuses.count == items.count else {
      throw TransferError(
        TransportError(.protocolViolation, remote.address, "its response omits some images"),
        scope: .remote)
    }
    let decisions = try zip(items, statuses).map { ($0, try decide($1, $0.pointer)) }
    state.withLock { state in
      var movable: [(TransferPlan.Item, TransferAction)] = []
      for (item, decision) in decisions {
        switch decision {
        case .move(let action): movable.append((item, action))
        case .known: state.finish(item.pointer, \.known)
        case .missing: state.finish(item.pointer, \.missing)
        case .failed(let error):
          state.plan.rejected(item, error, now: environment.now(), random: environment.random())
        }
      }
      state.plan.queried(movable)
      options.progress(state.progress)
    }
  }

  private func transfer(
    _ item: TransferPlan.Item, _ action: TransferAction, over connection: any ImageConnection
  ) throws {
    let image = item.pointer
    var transferred = 0
    do {
      try move(connection, image, action) { [self] count in
        transferred += count
        limiter?.wait(for: count)
        updateProgress { $0.bytes += count }
      }
    } catch {
      updateProgress { $0.bytes -= transferred }
      throw error
    }
    // Count the bytes that were here before.
    record(image, uncounted: image.size - transferred)
  }

  /// Transfers several small images; discards the connection if that fails.
  private func transfer(
    _ group: [(item: TransferPlan.Item, action: TransferAction)],
    over connection: inout (any ImageConnection)?
  ) {
    var left = Set(group.indices)
    do {
      let open = try connection ?? remote.connect()
      connection = open
      try moveGroup?(open, group.map { (image: $0.item.pointer, action: $0.action) }) {
        position, error in
        left.remove(position)
        let item = group[position].item
        if let error {
          state.withLock {
            $0.plan.failed([item], error, now: environment.now(), random: environment.random())
          }
        } else {
          record(item.pointer, uncounted: item.pointer.size)
        }
      }
    } catch {
      connection = nil
      state.withLock { state in
        for position in left.sorted() {
          state.plan.failed(
            [group[position].item], error, now: environment.now(), random: environment.random())
        }
      }
    }
  }

  /// Records that an image was transferred.
  ///
  /// - Parameter bytes: The bytes of the image that the progress does not count yet.
  private func record(_ image: Pointer, uncounted bytes: Int) {
    state.withLock { state in
      state.plan.transferred()
      state.report.transferred += 1
      state.report.bytes += image.size
      state.progress.images += 1
      state.progress.bytes += bytes
      options.progress(state.progress)
    }
  }

  private func updateProgress(_ change: (inout ImageProgress) -> Void) {
    state.withLock { state in
      change(&state.progress)
      options.progress(state.progress)
    }
  }

  private func stop() {
    let error = TransferError(
      TransportError(.cancelled, remote.address, "it was stopped"), scope: .remote)
    state.withLock { $0.plan.stop(error) }
  }
}
