internal import CairnHTTP

/// What is asked, fetched or waited for next: what the lines of a fetch share. Nothing here waits, speaks
/// or reads a clock.
struct FetchPlan {
  enum Step {
    case ask(cursor: String?)
    case fetch(Item)
    /// In milliseconds of the clock.
    case wait(until: Int64)
    /// Others are at work, and what they find decides.
    case idle
    case done
  }

  struct Item {
    let photo: SourcePhoto
    fileprivate var failures = 0
    fileprivate var notBefore = Int64.min
  }

  /// Who is asked: the service itself, or a host that has images.
  private enum Host: Hashable { case service, images(String) }

  private enum NextPage {
    case page(cursor: String?, failures: Int, notBefore: Int64)
    case asking(cursor: String?, failures: Int)
    case none
  }

  private(set) var arrived = 0
  /// Photos that were fetched before, by their credits.
  private(set) var known = 0
  private(set) var failed: [(photo: SourcePhoto, error: SourceError)] = []
  /// Why there is no more, where that was not the end of the source.
  private(set) var trouble: SourceError?

  private let name: SourceName
  private let wanted: Int
  private let licences: Set<LicenceKind>?
  private let retries: RetryPolicy
  private var fetchedBefore: Set<String>
  private var seen: Set<String> = []
  /// What the last page offers that nobody has looked at yet.
  private var offered: ArraySlice<SourcePhoto> = []
  private var waiting: [Item] = []
  private var nextPage = NextPage.page(cursor: nil, failures: 0, notBefore: .min)
  private var cursors: Set<String> = []
  /// Pages without anything new since the last photo that arrived, and images that were of no use.
  private var (fruitlessPages, fruitlessImages) = (0, 0)
  /// How many images are on their way, and how many are here that nobody has judged.
  private var (fetching, unjudged) = (0, 0)
  private var failuresInARow = 0
  private var hosts: [Host: HostTraffic] = [:]
  private var isStopped = false

  /// A source that has nothing new on so many pages is asked for no other, nor one of whose images so
  /// many in a row could not be had or were known.
  private static let mostFruitlessPages = 50
  private static let mostFruitlessImages = 200
  /// So many are looked through each time.
  private static let mostWaiting = 1000
  /// So many images lie here at most for whoever judges them.
  private static let mostUnjudged = 32
  /// After so many that could not be fetched, one after the other, the way is to blame.
  private static let mostFailuresInARow = 5

  /// - Parameters:
  ///   - fetchedBefore: The keys of photos that were fetched before.
  init(
    _ name: SourceName, _ query: SourceQuery, wanted: Int?, fetchedBefore: Set<String>,
    retries: RetryPolicy
  ) {
    (self.name, self.wanted, self.retries) = (name, wanted ?? .max, retries)
    (self.fetchedBefore, licences) = (fetchedBefore, query.licences)
  }

  // MARK: What to do

  mutating func next(now: Int64) -> Step {
    let isEnough = arrived >= wanted || isStopped
    let isRoom =
      !isEnough && arrived + unjudged + fetching < wanted && unjudged < FetchPlan.mostUnjudged
    if isRoom { lookThrough() }
    var soonest: Int64?
    func note(_ time: Int64) { soonest = min(soonest ?? time, time) }
    if isRoom {
      for index in waiting.indices {
        guard let time = earliest(waiting[index], now: now) else { continue }
        if time > now {
          note(time)
          continue
        }
        let item = waiting.remove(at: index)
        fetching += 1
        begin(host(of: item), now: now)
        return .fetch(item)
      }
      let isShort = arrived + unjudged + fetching + waiting.count < wanted
      if isShort, offered.isEmpty, waiting.count < FetchPlan.mostWaiting, isPatient,
        case .page(let cursor, let failures, let notBefore) = nextPage,
        let free = traffic(.service).earliest(now: now)
      {
        let time = max(free, notBefore)
        if time <= now {
          nextPage = .asking(cursor: cursor, failures: failures)
          begin(.service, now: now)
          return .ask(cursor: cursor)
        }
        note(time)
      }
    }
    var isAsking = false
    if case .asking = nextPage { isAsking = true }
    if let soonest { return .wait(until: soonest) }
    // Whoever judges may have ended the fetch, and judges no more.
    return fetching > 0 || isAsking || unjudged > 0 && !isStopped ? .idle : .done
  }

  private func host(of item: Item) -> Host? {
    if case .web(let location) = item.photo.image { .images(location.host) } else { nil }
  }

  /// When an image may be asked for; nil while its host has enough to do.
  private func earliest(_ item: Item, now: Int64) -> Int64? {
    guard let host = host(of: item) else { return max(now, item.notBefore) }
    return traffic(host).earliest(now: now).map { max($0, item.notBefore) }
  }

  private func traffic(_ host: Host) -> HostTraffic {
    hosts[host] ?? HostTraffic(host == .service ? name.questions : name.images)
  }

  private mutating func begin(_ host: Host?, now: Int64) {
    guard let host else { return }
    var traffic = traffic(host)
    traffic.begin(now: now)
    hosts[host] = traffic
  }

  // MARK: What came of it

  mutating func answered(_ page: SourcePage) {
    hosts[.service]?.end()
    offered = page.photos[...]
    if !lookThrough() { fruitlessPages += 1 }
    if let cursor = page.next, cursors.insert(cursor).inserted {
      nextPage = .page(cursor: cursor, failures: 0, notBefore: .min)
    } else {
      nextPage = .none
    }
  }

  /// Whether what came of the last pages makes another one worth asking for.
  private var isPatient: Bool {
    fruitlessPages < FetchPlan.mostFruitlessPages && fruitlessImages < FetchPlan.mostFruitlessImages
  }

  /// Takes what the page offers, as long as there is room.
  ///
  /// - Returns: Whether there is anything new.
  @discardableResult
  private mutating func lookThrough() -> Bool {
    var isFruitful = false
    while waiting.count < FetchPlan.mostWaiting, let photo = offered.popFirst() {
      guard isWanted(photo) else { continue }
      if photo.keys.contains(where: fetchedBefore.contains) {
        if photo.keys.allSatisfy({ seen.insert($0).inserted }) { known += 1 }
        continue
      }
      guard !photo.keys.contains(where: seen.contains) else { continue }
      seen.formUnion(photo.keys)
      isFruitful = true
      waiting.append(Item(photo: photo))
    }
    return isFruitful
  }

  private func isWanted(_ photo: SourcePhoto) -> Bool {
    guard let licences else { return true }
    return photo.licence?.kind.map(licences.contains) ?? false
  }

  /// A page could not be had.
  mutating func failedToAsk(_ error: SourceError, now: Int64, random: UInt64) {
    hosts[.service]?.end()
    guard case .asking(let cursor, let failures) = nextPage else { return }
    if let delay = delay(after: error, failures + 1, random: random) {
      if error.retryAfterMilliseconds != nil { hosts[.service]?.rest(until: now + delay) }
      nextPage = .page(cursor: cursor, failures: failures + 1, notBefore: now + delay)
    } else {
      nextPage = .none
      trouble = trouble ?? error
    }
  }

  mutating func fetched(_ item: Item) {
    end(item)
    unjudged += 1
    failuresInARow = 0
  }

  /// Somebody has looked at an image that came: a photo that is new, one that is not, or none at all.
  mutating func judged(_ photo: SourcePhoto, _ verdict: FetchVerdict) {
    unjudged -= 1
    switch verdict {
    case .added:
      arrived += 1
      (fruitlessPages, fruitlessImages) = (0, 0)
    case .known:
      known += 1
      fruitlessImages += 1
    case .unusable(let error):
      failed.append((photo, error))
      fruitlessImages += 1
    }
  }

  /// An image could not be had.
  mutating func failed(_ item: Item, _ error: SourceError, now: Int64, random: UInt64) {
    end(item)
    var item = item
    item.failures += 1
    if let delay = delay(after: error, item.failures, random: random) {
      item.notBefore = now + delay
      if error.retryAfterMilliseconds != nil, let host = host(of: item) {
        hosts[host]?.rest(until: now + delay)
      }
      waiting.append(item)
      return
    }
    // Whoever ends a fetch has not been let down by it.
    if error.kind == .cancelled { return stop(error) }
    failed.append((item.photo, error))
    fruitlessImages += 1
    if error.isTransient { failuresInARow += 1 }
    // One that asks for more patience than there is would be asked again at once.
    let isForAll = error.retryAfterMilliseconds != nil || error.kind == .noLibrary
    if error.isTransient, failuresInARow >= FetchPlan.mostFailuresInARow || isForAll {
      stop(error)
    } else if [.noLibrary, .untrusted].contains(error.kind) {
      stop(error)
    }
  }

  /// Begins nothing more.
  mutating func stop(_ error: SourceError? = nil) {
    isStopped = true
    trouble = trouble ?? error
  }

  private mutating func end(_ item: Item) {
    fetching -= 1
    if let host = host(of: item) { hosts[host]?.end() }
  }

  private func delay(after error: SourceError, _ failures: Int, random: UInt64) -> Int64? {
    guard error.isTransient else { return nil }
    return retries.delayMilliseconds(
      failures: failures, isBeforeConnection: error.isBeforeConnection,
      asked: error.retryAfterMilliseconds ?? 0, random: random)
  }
}
