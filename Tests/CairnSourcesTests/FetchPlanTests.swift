import CairnHTTP
import SystemPackage
import Testing

@testable import CairnSources

@Suite("Fetch plan")
struct FetchPlanTests {
  private static func photo(_ number: Int, host: String = "a.org", _ kind: LicenseKind = .by)
    -> SourcePhoto
  {
    var photo = SourcePhoto(.web(WebLocation("https://\(host)/\(number).jpg")!))
    photo.license = License(kind)
    return photo
  }

  private func plan(
    _ name: SourceName = .openverse, wanted: Int? = nil, licences: Set<LicenseKind>? = nil,
    before: Set<String> = []
  ) -> FetchPlan {
    var query = SourceQuery()
    query.licenses = licences
    var retries = RetryPolicy()
    retries.attempts = 3
    return FetchPlan(name, query, wanted: wanted, fetchedBefore: before, retries: retries)
  }

  /// Answers the plan's request for a page.
  private func feed(
    _ plan: inout FetchPlan, _ numbers: some Sequence<Int>, next: String? = nil, now: Int64 = 0
  ) throws {
    guard case .requestPage = plan.next(now: now) else { throw Unexpected() }
    plan.received(SourcePage(numbers.map { Self.photo($0) }, next: next))
  }

  private struct Unexpected: Error {}

  /// Takes up to `count` images that can be fetched at once.
  private func take(
    _ plan: inout FetchPlan, _ count: Int = 99, now: Int64 = 0
  ) -> [FetchPlan.Item] {
    var items: [FetchPlan.Item] = []
    while items.count < count, case .fetch(let item) = plan.next(now: now) { items.append(item) }
    return items
  }

  private func isDone(_ plan: inout FetchPlan, now: Int64 = 0) -> Bool {
    if case .done = plan.next(now: now) { true } else { false }
  }

  @Test("fetches no more photos at once than are wanted")
  func bound() throws {
    var plan = plan(wanted: 3)
    try feed(&plan, 0..<50, next: "2")
    let first = take(&plan)
    #expect(first.count == 3)
    for item in first { plan.fetched(item) }
    #expect(take(&plan).isEmpty, "three wait to be processed")
    plan.processed(first[0].photo, .added)
    plan.processed(first[1].photo, .known)
    plan.processed(first[2].photo, .unusable(SourceError(.notAnImage, "x", "is a song")))
    let second = take(&plan)
    #expect(second.count == 2)
    for item in second {
      plan.fetched(item)
      plan.processed(item.photo, .added)
    }
    #expect(isDone(&plan))
    #expect(plan.added == 3 && plan.known == 1 && plan.failed.count == 1 && plan.failure == nil)
    #expect(!plan.hasGivenUp)
  }

  @Test("limits the requests to each host separately")
  func hosts() throws {
    var plan = plan(.commons)
    guard case .requestPage = plan.next(now: 0) else { throw Unexpected() }
    let photos = (0..<10).map { Self.photo($0) } + (0..<10).map { Self.photo($0, host: "b.org") }
    plan.received(SourcePage(photos))
    let items = take(&plan)
    #expect(items.count { $0.photo.address?.contains("a.org") == true } == 2)
    #expect(items.count { $0.photo.address?.contains("b.org") == true } == 2)
    plan.fetched(items[0])
    #expect(take(&plan).count == 1)
  }

  @Test("requests the next page when more photos are needed, one page at a time")
  func pages() throws {
    var plan = plan(wanted: 5)
    try feed(&plan, 0..<3, next: "2")
    #expect(take(&plan, 3, now: 1).count == 3)
    guard case .requestPage(let cursor) = plan.next(now: 1) else { throw Unexpected() }
    #expect(cursor == "2")
    guard case .idle = plan.next(now: 1) else { throw Unexpected() }
    plan.received(SourcePage([Self.photo(2), Self.photo(3)], next: "3"))
    #expect(take(&plan, now: 1).map(\.photo.address) == ["https://a.org/3.jpg"])
  }

  @Test("skips photos that were fetched before, and fetches a photo listed twice once")
  func known() throws {
    var plan = plan(before: ["a.org/1.jpg"])
    try feed(&plan, [0, 1, 0, 1, 2])
    #expect(take(&plan).count == 2)
    #expect(plan.known == 1)
  }

  @Test("skips photos with an unwanted or unknown license")
  func licences() throws {
    var plan = plan(licences: [.cc0, .by])
    guard case .requestPage = plan.next(now: 0) else { throw Unexpected() }
    var unknown = Self.photo(7)
    unknown.license = nil
    plan.received(
      SourcePage([
        Self.photo(1, .byNC), Self.photo(2, .cc0), unknown, Self.photo(3, .allRightsReserved),
      ]))
    #expect(take(&plan).map(\.photo.address) == ["https://a.org/2.jpg"])
  }

  @Test("stops when pages repeat or bring nothing new")
  func endless() throws {
    var circle = plan()
    try feed(&circle, [1], next: "2")
    #expect(take(&circle, 1).count == 1)
    try feed(&circle, [1], next: "3", now: 100_000)
    try feed(&circle, [1], next: "2", now: 200_000)
    guard case .idle = circle.next(now: 300_000) else { throw Unexpected() }

    var (fruitless, asked, now) = (plan(), 0, Int64(0))
    while asked < 1000 {
      now += 100_000
      guard case .requestPage = fruitless.next(now: now) else { break }
      asked += 1
      fruitless.received(SourcePage([], next: "page \(asked)"))
    }
    #expect(asked == 50)
    #expect(isDone(&fruitless, now: now + 1))
    #expect(fruitless.hasGivenUp)
  }

  @Test("fetches every photo of a list of any length")
  func longList() throws {
    var plan = plan(.folder)
    guard case .requestPage = plan.next(now: 0) else { throw Unexpected() }
    let photos = (0..<12_000).map { SourcePhoto(.file(FilePath("/in/\($0).jpg"))) }
    plan.received(SourcePage(photos))
    while case .fetch(let item) = plan.next(now: 0) {
      plan.fetched(item)
      plan.processed(item.photo, .added)
    }
    #expect(plan.added == 12_000 && isDone(&plan))
  }

  @Test(
    "stops after many pages of photos that fail or are already in the dataset",
    arguments: [true, false])
  func fruitless(isKnown: Bool) throws {
    var (plan, now, asked) = (plan(wanted: 21), Int64(0), 0)
    let gone = SourceError(.notFound, "a.org", "returned 404")
    while asked < 5000 {
      now += 60_000
      switch plan.next(now: now) {
      case .requestPage:
        asked += 1
        plan.received(SourcePage([Self.photo(asked)], next: "page \(asked)"))
      case .fetch(let item) where isKnown:
        plan.fetched(item)
        plan.processed(item.photo, .known)
      case .fetch(let item): plan.failed(item, gone, now: now, random: 0)
      default:
        #expect(isDone(&plan, now: now))
        #expect(asked <= 250 && plan.failed.count + plan.known == asked)
        return
      }
    }
    Issue.record("the plan does not end")
  }

  @Test("limits the number of fetched photos that wait to be processed")
  func unjudged() throws {
    var plan = plan(.folder)
    guard case .requestPage = plan.next(now: 0) else { throw Unexpected() }
    plan.received(SourcePage((0..<100).map { SourcePhoto(.file(FilePath("/in/\($0).jpg"))) }))
    var items: [FetchPlan.Item] = []
    while case .fetch(let item) = plan.next(now: 0) {
      plan.fetched(item)
      items.append(item)
    }
    #expect(items.count == 32)
    plan.processed(items[0].photo, .added)
    #expect(take(&plan).count >= 1)
  }

  @Test("reports no failed photos after a cancellation")
  func cancelled() throws {
    var plan = plan()
    try feed(&plan, 0..<3)
    let items = take(&plan)
    plan.failed(items[0], SourceError(.cancelled, "a.org", "was stopped"), now: 0, random: 0)
    #expect(plan.failed.isEmpty && plan.failure?.kind == .cancelled)
  }

  @Test("retries a failed photo later, then reports it, and fetches the others meanwhile")
  func retries() throws {
    var plan = plan()
    try feed(&plan, [1, 2])
    let cut = SourceError(.unreachable, "a.org", "was cut off", isTransient: true)
    let items = take(&plan)
    plan.fetched(items[1])
    plan.processed(items[1].photo, .added)
    var (item, now) = (items[0], Int64(0))
    for delay in [250, 500] as [Int64] {
      plan.failed(item, cut, now: now, random: UInt64(delay) - 1)
      guard case .wait(let until) = plan.next(now: now) else { throw Unexpected() }
      #expect(until == now + delay - 1)
      now = until
      guard case .fetch(let again) = plan.next(now: now) else { throw Unexpected() }
      item = again
    }
    plan.failed(item, cut, now: now, random: 0)
    #expect(isDone(&plan, now: now))
    #expect(plan.failed.map(\.error) == [cut] && plan.added == 1 && plan.failure == nil)
  }

  @Test("pauses all images of a host that asks for it, and stops if the pause is too long")
  func rest() throws {
    var plan = plan()
    try feed(&plan, 0..<3)
    let items = take(&plan)
    let busy = SourceError(
      .busy, "a.org", "is busy", isTransient: true, retryAfterMilliseconds: 30_000)
    plan.failed(items[0], busy, now: 1000, random: 0)
    plan.failed(
      items[1], SourceError(.unreachable, "a.org", "x", isTransient: true), now: 1000, random: 0)
    guard case .wait(let until) = plan.next(now: 2000) else { throw Unexpected() }
    #expect(until == 31_000)
    let hour = SourceError(
      .busy, "a.org", "is busy", isTransient: true, retryAfterMilliseconds: 3_600_000)
    plan.failed(items[2], hour, now: 2000, random: 0)
    #expect(isDone(&plan, now: 2000))
    #expect(plan.failure == hour)
    #expect("\(hour)".hasSuffix("it asks you to wait 3600 s"))
  }

  @Test("stops after several photos in a row fail for lack of a network")
  func network() throws {
    var plan = plan()
    try feed(&plan, 0..<100)
    let gone = SourceError(
      .unreachable, "a.org", "could not be resolved", isTransient: true, isBeforeConnection: true)
    var (now, tried) = (Int64(0), 0)
    while tried < 1000 {
      now += 60_000
      guard case .fetch(let item) = plan.next(now: now) else { break }
      tried += 1
      plan.failed(item, gone, now: now, random: 0)
    }
    #expect(isDone(&plan, now: now))
    #expect(plan.failure == gone && plan.failed.count == 5)
  }

  @Test("requests no more pages after a page failed, and finishes the photos in flight")
  func pageFails() throws {
    var plan = plan(wanted: 10)
    try feed(&plan, 0..<2, next: "2")
    let items = take(&plan, 2)
    guard case .requestPage = plan.next(now: 0) else { throw Unexpected() }
    let refusal = SourceError(.refused, "Openverse", "reported “no”")
    plan.pageRequestFailed(refusal, now: 0, random: 0)
    guard case .idle = plan.next(now: 0) else { throw Unexpected() }
    for item in items {
      plan.fetched(item)
      plan.processed(item.photo, .added)
    }
    #expect(isDone(&plan))
    #expect(plan.added == 2 && plan.failure == refusal)
  }
}
