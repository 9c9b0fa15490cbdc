internal import CairnHTTP

/// The state shared by the workers of a fetch, which decides what to request, fetch or wait for
/// next. It does no I/O and reads no clock.
struct FetchPlan {
  enum Step {
    case requestPage(cursor: String?)
    case fetch(Item)
    /// In milliseconds of the clock.
    case wait(until: Int64)
    /// Other workers are busy, and their results decide.
    case idle
    case done
  }

  struct Item {
    let photo: SourcePhoto
    fileprivate var failures = 0
    fileprivate var notBefore = Int64.min
  }

  /// The target of a request: the service itself, or a host of images.
  private enum Host: Hashable { case service, images(String) }

  private enum NextPage {
    case page(cursor: String?, failures: Int, notBefore: Int64)
    case requested(cursor: String?, failures: Int)
    case none
  }

  private(set) var added = 0
  /// The number of photos fetched before, identified by their credits.
  private(set) var known = 0
  private(set) var failed: [(photo: SourcePhoto, error: SourceError)] = []
  /// The error that ended the fetch before the end of the source.
  private(set) var failure: SourceError?

  private let name: SourceName
  private let wanted: Int
  private let licenses: Set<LicenseKind>?
  private let retries: RetryPolicy
  private var fetchedBefore: Set<String>
  private var seen: Set<String> = []
  /// The unprocessed photos of the last page.
  private var pagePhotos: ArraySlice<SourcePhoto> = []
  private var waiting: [Item] = []
  private var nextPage = NextPage.page(cursor: nil, failures: 0, notBefore: .min)
  private var cursors: Set<String> = []
  /// Pages without a new photo and unusable images, both since the last added photo.
  private var (pagesWithoutNew, imagesWithoutNew) = (0, 0)
  /// The number of running downloads, and of downloaded images not yet processed.
  private var (fetching, unprocessed) = (0, 0)
  private var consecutiveFailures = 0
  private var hosts: [Host: RateLimiter] = [:]
  private var isStopped = false

  /// The consecutive pages without anything new, and the consecutive images that failed or were
  /// known, after which no further page is requested.
  private static let pagesWithoutNewLimit = 50
  private static let imagesWithoutNewLimit = 200
  /// The maximum number of photos waiting to be fetched.
  private static let waitingLimit = 1000
  /// The maximum number of downloaded images waiting to be processed.
  private static let unprocessedLimit = 32
  /// The number of consecutive failed downloads after which the connection is considered broken.
  private static let consecutiveFailureLimit = 5

  /// - Parameters:
  ///   - fetchedBefore: The keys of photos that were fetched before.
  init(
    _ name: SourceName, _ query: SourceQuery, wanted: Int?, fetchedBefore: Set<String>,
    retries: RetryPolicy
  ) {
    (self.name, self.wanted, self.retries) = (name, wanted ?? .max, retries)
    (self.fetchedBefore, licenses) = (fetchedBefore, query.licenses)
  }

  // MARK: Next step

  mutating func next(now: Int64) -> Step {
    let isEnough = added >= wanted || isStopped
    let isRoom =
      !isEnough && added + unprocessed + fetching < wanted
      && unprocessed < FetchPlan.unprocessedLimit
    if isRoom { takePagePhotos() }
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
      let isShort = added + unprocessed + fetching + waiting.count < wanted
      if isShort, pagePhotos.isEmpty, waiting.count < FetchPlan.waitingLimit, mayRequestMore,
        case .page(let cursor, let failures, let notBefore) = nextPage,
        let free = limiter(.service).earliest(now: now)
      {
        let time = max(free, notBefore)
        if time <= now {
          nextPage = .requested(cursor: cursor, failures: failures)
          begin(.service, now: now)
          return .requestPage(cursor: cursor)
        }
        note(time)
      }
    }
    var isRequested = false
    if case .requested = nextPage { isRequested = true }
    if let soonest { return .wait(until: soonest) }
    // The caller may have ended the fetch, and then processes no more images.
    return fetching > 0 || isRequested || unprocessed > 0 && !isStopped ? .idle : .done
  }

  private func host(of item: Item) -> Host? {
    if case .web(let location) = item.photo.image { .images(location.host) } else { nil }
  }

  /// Returns the earliest time for requesting an image; nil while its host has the maximum number
  /// of running requests.
  private func earliest(_ item: Item, now: Int64) -> Int64? {
    guard let host = host(of: item) else { return max(now, item.notBefore) }
    return limiter(host).earliest(now: now).map { max($0, item.notBefore) }
  }

  private func limiter(_ host: Host) -> RateLimiter {
    hosts[host] ?? RateLimiter(host == .service ? name.requests : name.images)
  }

  private mutating func begin(_ host: Host?, now: Int64) {
    guard let host else { return }
    var limiter = limiter(host)
    limiter.begin(now: now)
    hosts[host] = limiter
  }

  // MARK: Results

  mutating func received(_ page: SourcePage) {
    hosts[.service]?.end()
    pagePhotos = page.photos[...]
    if !takePagePhotos() { pagesWithoutNew += 1 }
    if let cursor = page.next, cursors.insert(cursor).inserted {
      nextPage = .page(cursor: cursor, failures: 0, notBefore: .min)
    } else {
      nextPage = .none
    }
  }

  /// Whether recent results justify another page.
  private var mayRequestMore: Bool {
    pagesWithoutNew < FetchPlan.pagesWithoutNewLimit
      && imagesWithoutNew < FetchPlan.imagesWithoutNewLimit
  }

  /// Whether the source has more pages, but recent results do not justify another one.
  var hasGivenUp: Bool {
    guard case .page = nextPage else { return false }
    return !mayRequestMore
  }

  /// Takes photos from the page while there is room.
  ///
  /// - Returns: Whether there is anything new.
  @discardableResult
  private mutating func takePagePhotos() -> Bool {
    var hasNew = false
    while waiting.count < FetchPlan.waitingLimit, let photo = pagePhotos.popFirst() {
      guard isWanted(photo) else { continue }
      if photo.keys.contains(where: fetchedBefore.contains) {
        if photo.keys.allSatisfy({ seen.insert($0).inserted }) { known += 1 }
        continue
      }
      guard !photo.keys.contains(where: seen.contains) else { continue }
      seen.formUnion(photo.keys)
      hasNew = true
      waiting.append(Item(photo: photo))
    }
    return hasNew
  }

  private func isWanted(_ photo: SourcePhoto) -> Bool {
    guard let licenses else { return true }
    return photo.license?.kind.map(licenses.contains) ?? false
  }

  /// Records that a page request failed.
  mutating func pageRequestFailed(_ error: SourceError, now: Int64, random: UInt64) {
    hosts[.service]?.end()
    guard case .requested(let cursor, let failures) = nextPage else { return }
    if let delay = delay(after: error, failures + 1, random: random) {
      if error.retryAfterMilliseconds != nil { hosts[.service]?.pause(until: now + delay) }
      nextPage = .page(cursor: cursor, failures: failures + 1, notBefore: now + delay)
    } else {
      nextPage = .none
      failure = failure ?? error
    }
  }

  mutating func fetched(_ item: Item) {
    end(item)
    unprocessed += 1
    consecutiveFailures = 0
  }

  /// Records the outcome of a processed image: a new photo, a known one, or an unusable image.
  mutating func processed(_ photo: SourcePhoto, _ outcome: FetchOutcome) {
    unprocessed -= 1
    switch outcome {
    case .added:
      added += 1
      (pagesWithoutNew, imagesWithoutNew) = (0, 0)
    case .known:
      known += 1
      imagesWithoutNew += 1
    case .unusable(let error):
      failed.append((photo, error))
      imagesWithoutNew += 1
    }
  }

  /// Records that a download failed.
  mutating func failed(_ item: Item, _ error: SourceError, now: Int64, random: UInt64) {
    end(item)
    var item = item
    item.failures += 1
    if let delay = delay(after: error, item.failures, random: random) {
      item.notBefore = now + delay
      if error.retryAfterMilliseconds != nil, let host = host(of: item) {
        hosts[host]?.pause(until: now + delay)
      }
      waiting.append(item)
      return
    }
    // Cancellation is not a failure of the photo.
    if error.kind == .cancelled { return stop(error) }
    failed.append((item.photo, error))
    imagesWithoutNew += 1
    if error.isTransient { consecutiveFailures += 1 }
    // After a wait longer than retries allow, the next request would follow at once.
    let isForAll = error.retryAfterMilliseconds != nil || error.kind == .noLibrary
    if error.isTransient, consecutiveFailures >= FetchPlan.consecutiveFailureLimit || isForAll {
      stop(error)
    } else if [.noLibrary, .untrusted].contains(error.kind) {
      stop(error)
    }
  }

  /// Starts no further steps.
  mutating func stop(_ error: SourceError? = nil) {
    isStopped = true
    failure = failure ?? error
  }

  private mutating func end(_ item: Item) {
    fetching -= 1
    if let host = host(of: item) { hosts[host]?.end() }
  }

  private func delay(after error: SourceError, _ failures: Int, random: UInt64) -> Int64? {
    guard error.isTransient else { return nil }
    return retries.delayMilliseconds(
      failures: failures, isBeforeConnection: error.isBeforeConnection,
      requested: error.retryAfterMilliseconds ?? 0, random: random)
  }
}
