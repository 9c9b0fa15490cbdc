internal import CairnHTTP
internal import CairnStore

/// Which image is asked about, moved or waited for next: what the lines of a transfer share. Nothing here
/// waits or speaks.
struct TransferPlan {
  enum Step {
    case ask([Item])
    case move(Item, ImageTicket)
    case wait(milliseconds: Int64)
    case done
  }

  struct Item {
    let pointer: Pointer
    fileprivate(set) var failures = 0
    /// In milliseconds since 1970.
    fileprivate var notBefore: Int64 = 0
  }

  /// Those that are not moved, and why.
  private(set) var failed: [(image: Pointer, error: TransferError)] = []
  /// What concerns all images, and has ended the transfer.
  private(set) var end: (any Error)?

  private let retries: RetryPolicy
  private var batchSize: Int
  private var pending: [Item]
  private var ready: [(item: Item, ticket: ImageTicket)] = []
  /// How many steps were given out and have not come back.
  private var running = 0
  /// The remote asked for rest until then.
  private var restsUntil: Int64 = 0

  init(_ images: [Pointer], batchSize: Int, retries: RetryPolicy) {
    (self.batchSize, self.retries) = (max(1, batchSize), retries)
    // The last are taken first.
    pending = images.reversed().map { Item(pointer: $0) }
  }

  mutating func next(now: Int64) -> Step {
    if end != nil { return .done }
    if restsUntil > now, running < 1 || !ready.isEmpty || !pending.isEmpty {
      return .wait(milliseconds: restsUntil - now)
    }
    while let (item, ticket) = ready.popLast() {
      if let expires = ticket.expires, expires <= now {
        pending.append(item)
        continue
      }
      running += 1
      return .move(item, ticket)
    }
    let batch = takeBatch(now)
    if !batch.isEmpty {
      running += 1
      return .ask(batch)
    }
    if let soonest = pending.map(\.notBefore).min() { return .wait(milliseconds: soonest - now) }
    return running > 0 ? .wait(milliseconds: 20) : .done
  }

  private mutating func takeBatch(_ now: Int64) -> [Item] {
    var batch: [Item] = []
    while batch.count < batchSize, let last = pending.lastIndex(where: { $0.notBefore <= now }) {
      batch.append(pending.remove(at: last))
    }
    return batch
  }

  /// An answer came: these can be moved, in this order; the others are done with.
  mutating func answered(_ movable: [(item: Item, ticket: ImageTicket)]) {
    running -= 1
    ready += movable.reversed()
  }

  mutating func moved() { running -= 1 }

  /// Ends the transfer.
  mutating func stop(_ error: any Error) { end = end ?? error }

  /// A step ended badly for these images.
  mutating func failed(_ items: [Item], _ error: any Error, now: Int64, random: UInt64) {
    running -= 1
    // This machine's disk lets nothing else through.
    guard let error = error as? TransferError else { return stop(error) }
    if error.scope == .batch, items.count > 1 {
      batchSize = min(batchSize, (items.count + 1) / 2)
      pending += items.reversed()
      return
    }
    for item in items.reversed() {
      refused(item, error, now: now, random: random)
      // Who does not answer at all will not answer about the next ones either.
      if items.count > 1, error.isTransient, failed.last?.image == item.pointer { stop(error) }
    }
  }

  /// The remote did not let an image through.
  mutating func refused(_ item: Item, _ error: TransferError, now: Int64, random: UInt64) {
    var item = item
    item.failures += 1
    guard let delay = retries.delayMilliseconds(after: error, item.failures, random: random) else {
      // One that asks for more patience than there is would be asked again at once.
      let isForAll =
        error.scope == .remote || error.isBeforeConnection || error.retryAfterMilliseconds != nil
      if isForAll { stop(error) }
      return failed.append((item.pointer, error))
    }
    item.notBefore = now + delay
    if error.retryAfterMilliseconds != nil { restsUntil = max(restsUntil, now + delay) }
    pending.append(item)
  }
}

extension RetryPolicy {
  fileprivate func delayMilliseconds(
    after error: TransferError, _ failures: Int, random: UInt64
  ) -> Int64? {
    guard error.isTransient, failures < error.attempts else { return nil }
    return delayMilliseconds(
      failures: failures, isBeforeConnection: error.isBeforeConnection,
      asked: error.retryAfterMilliseconds ?? 0, random: random)
  }
}
