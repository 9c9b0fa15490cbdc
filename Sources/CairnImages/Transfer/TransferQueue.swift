internal import CairnStore
internal import CairnTransport
internal import Dispatch
internal import LibC
internal import Synchronization

/// A running transfer: threads with one connection each and a shared plan.
final class TransferQueue: @unchecked Sendable {
  /// The meaning of a remote's status for an image.
  enum Verdict {
    case move(TransferAction)
    case known
    case missing
    case failed(TransferError)
  }

  typealias Judge = (RemoteStatus, Pointer) throws -> Verdict
  typealias Move = (any ImageConnection, Pointer, TransferAction, @escaping (Int) -> Void) throws ->
    Void

  private struct State {
    var plan: TransferPlan
    var report = ImageReport()
    var progress: ImageProgress

    /// Records an image that needs no transfer.
    mutating func settle(_ image: Pointer, _ list: WritableKeyPath<ImageReport, [Pointer]>) {
      report[keyPath: list].append(image)
      progress.totalImages -= 1
      progress.totalBytes -= image.size
    }
  }

  // All threads call `judge` and `move`, which use only values and locked state.
  private let direction: ImageDirection
  private let remote: any ImageRemote
  private let environment: Environment
  private let options: ImageTransfer.Options
  private let judge: Judge
  private let move: Move
  private let state: Mutex<State>

  init(
    _ direction: ImageDirection, _ images: [Pointer], _ remote: any ImageRemote,
    environment: Environment,
    options: ImageTransfer.Options, judge: @escaping Judge, move: @escaping Move
  ) {
    (self.direction, self.remote, self.environment) = (direction, remote, environment)
    (self.options, self.judge, self.move) = (options, judge, move)
    state = Mutex(
      State(
        plan: TransferPlan(images, batchSize: remote.batchSize, retries: options.retries),
        progress: ImageProgress(
          direction: direction, totalImages: images.count,
          totalBytes: images.reduce(0) { $0 + $1.size })))
  }

  func run(lines: Int) throws -> ImageReport {
    let threads = DispatchGroup()
    for _ in 0..<lines {
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
    var line: (any ImageConnection)?
    while true {
      if options.isCancelled() { stop() }
      switch state.withLock({ $0.plan.next(now: environment.now()) }) {
      case .done: return
      case .wait(let milliseconds): usleep(UInt32(max(1, min(milliseconds, 100))) * 1000)
      case .ask(let items):
        attempt(items, &line) { try ask($0, items) }
      case .move(let item, let ticket):
        attempt([item], &line) { try carry(item, ticket, over: $0) }
      }
    }
  }

  /// Runs a step; discards the connection if the step fails.
  private func attempt(
    _ items: [TransferPlan.Item], _ line: inout (any ImageConnection)?,
    _ step: (any ImageConnection) throws -> Void
  ) {
    do {
      let open = try line ?? remote.connect()
      line = open
      try step(open)
    } catch {
      line = nil
      state.withLock {
        $0.plan.failed(items, error, now: environment.now(), random: environment.random())
      }
    }
  }

  private func ask(_ line: any ImageConnection, _ items: [TransferPlan.Item]) throws {
    let answers = try line.ask(direction, about: items.map(\.pointer))
    guard answers.count == items.count else {
      throw TransferError(
        TransportError(.protocolViolation, remote.address, "it does not answer about all images"),
        scope: .remote)
    }
    let verdicts = try zip(items, answers).map { ($0, try judge($1, $0.pointer)) }
    state.withLock { state in
      var movable: [(TransferPlan.Item, TransferAction)] = []
      for (item, verdict) in verdicts {
        switch verdict {
        case .move(let ticket): movable.append((item, ticket))
        case .known: state.settle(item.pointer, \.known)
        case .missing: state.settle(item.pointer, \.missing)
        case .failed(let error):
          state.plan.refused(item, error, now: environment.now(), random: environment.random())
        }
      }
      state.plan.answered(movable)
      options.progress(state.progress)
    }
  }

  private func carry(
    _ item: TransferPlan.Item, _ ticket: TransferAction, over line: any ImageConnection
  ) throws {
    let image = item.pointer
    var carried = 0
    do {
      try move(line, image, ticket) { [self] count in
        carried += count
        tell { $0.bytes += count }
      }
    } catch {
      tell { $0.bytes -= carried }
      throw error
    }
    state.withLock { state in
      state.plan.moved()
      state.report.moved += 1
      state.report.bytes += image.size
      state.progress.images += 1
      // Count the bytes that were here before.
      state.progress.bytes += image.size - carried
      options.progress(state.progress)
    }
  }

  private func tell(_ change: (inout ImageProgress) -> Void) {
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
