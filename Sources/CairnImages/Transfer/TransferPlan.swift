internal import CairnHTTP
internal import CairnStore

/// The plan shared by the connections of a transfer: which image to query, transfer or wait for
/// next. It does no I/O and never waits.
struct TransferPlan {
  enum Step {
    case query([Item])
    case move(Item, TransferAction)
    case wait(milliseconds: Int64)
    case done
  }

  struct Item {
    let pointer: Pointer
    fileprivate(set) var failures = 0
    /// The number of consecutive failures with an error that limits the attempts
    /// (``TransferError/attempts``).
    fileprivate var limitedFailures = 0
    /// The plan's number of successes at the first failure.
    fileprivate var successesBefore = 0
    /// In milliseconds since 1970.
    fileprivate var notBefore: Int64 = 0
  }

  /// The images that failed, each with its error.
  private(set) var failed: [(image: Pointer, error: TransferError)] = []
  /// The error that affects all images and has ended the transfer.
  private(set) var end: (any Error)?

  private let retries: RetryPolicy
  private var batchSize: Int
  private var pending: [Item]
  private var ready: [(item: Item, action: TransferAction)] = []
  /// Number of steps that the remote completed.
  private var successes = 0
  /// Number of steps handed out and not finished.
  private var running = 0
  /// The time until which the remote asked to wait, in milliseconds since 1970.
  private var retryAfter: Int64 = 0

  init(_ images: [Pointer], batchSize: Int, retries: RetryPolicy) {
    (self.batchSize, self.retries) = (max(1, batchSize), retries)
    // Items are taken from the end.
    pending = images.reversed().map { Item(pointer: $0) }
  }

  mutating func next(now: Int64) -> Step {
    if end != nil { return .done }
    if retryAfter > now, running < 1 || !ready.isEmpty || !pending.isEmpty {
      return .wait(milliseconds: retryAfter - now)
    }
    while let (item, action) = ready.popLast() {
      if let expires = action.expires, expires <= now {
        pending.append(item)
        continue
      }
      running += 1
      return .move(item, action)
    }
    let batch = takeBatch(now)
    if !batch.isEmpty {
      running += 1
      return .query(batch)
    }
    if let soonest = pending.map(\.notBefore).min() { return .wait(milliseconds: soonest - now) }
    return running > 0 ? .wait(milliseconds: 20) : .done
  }

  /// Maximum size of an image that is transferred together with others, in bytes.
  private static let smallSize = 256 << 10

  /// Whether an image may be transferred together with others.
  static func isSmall(_ item: Item, _ action: TransferAction) -> Bool {
    item.pointer.size <= smallSize && !action.replaces
  }

  /// Returns another small image to transfer, together with one that ``next(now:)`` returned; nil if
  /// the next image is not small.
  mutating func nextSmall(now: Int64) -> (item: Item, action: TransferAction)? {
    guard end == nil, retryAfter <= now, let (item, action) = ready.last,
      TransferPlan.isSmall(item, action), action.expires.map({ now < $0 }) ?? true
    else { return nil }
    ready.removeLast()
    running += 1
    return (item, action)
  }

  private mutating func takeBatch(_ now: Int64) -> [Item] {
    var batch: [Item] = []
    while batch.count < batchSize, let last = pending.lastIndex(where: { $0.notBefore <= now }) {
      batch.append(pending.remove(at: last))
    }
    return batch
  }

  /// Records a response: these images can be transferred, in this order; the others are finished.
  mutating func queried(_ movable: [(item: Item, action: TransferAction)]) {
    running -= 1
    successes += 1
    ready += movable.reversed()
  }

  mutating func transferred() {
    running -= 1
    successes += 1
  }

  /// Ends the transfer.
  mutating func stop(_ error: any Error) { end = end ?? error }

  /// Records a failed step for these images.
  mutating func failed(_ items: [Item], _ error: any Error, now: Int64, random: UInt64) {
    running -= 1
    // An error of this machine's disk affects all images.
    guard let error = error as? TransferError else { return stop(error) }
    if error.scope == .batch, items.count > 1 {
      batchSize = min(batchSize, (items.count + 1) / 2)
      pending += items.reversed()
      return
    }
    for item in items.reversed() {
      rejected(item, error, now: now, random: random)
    }
  }

  /// Records that the remote rejected an image.
  mutating func rejected(_ item: Item, _ error: TransferError, now: Int64, random: UInt64) {
    var item = item
    if item.failures == 0 { item.successesBefore = successes }
    item.failures += 1
    item.limitedFailures = error.attempts == .max ? 0 : item.limitedFailures + 1
    guard let delay = retries.delayMilliseconds(after: error, of: item, random: random) else {
      // A remote that completed nothing in the meantime will not respond to the next images either,
      // and one that asks for too long a wait would be queried again at once.
      let isSilent =
        error.isTransient && item.failures > 1 && item.successesBefore == successes
      let isForAll =
        error.scope == .remote || error.isBeforeConnection || error.retryAfterMilliseconds != nil
        || isSilent
      if isForAll { stop(error) }
      return failed.append((item.pointer, error))
    }
    item.notBefore = now + delay
    if error.retryAfterMilliseconds != nil { retryAfter = max(retryAfter, now + delay) }
    pending.append(item)
  }
}

extension RetryPolicy {
  fileprivate func delayMilliseconds(
    after error: TransferError, of item: TransferPlan.Item, random: UInt64
  ) -> Int64? {
    guard error.isTransient, item.limitedFailures < error.attempts else { return nil }
    return delayMilliseconds(
      failures: item.failures, isBeforeConnection: error.isBeforeConnection,
      requested: error.retryAfterMilliseconds ?? 0, random: random)
  }
}
