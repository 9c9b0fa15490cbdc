internal import CairnDocument
public import CairnFiles
public import CairnHTTP
internal import Dispatch
internal import LibC
internal import Synchronization
public import SystemPackage

/// Fetches photos of a source, several at once, until so many new ones are here or the source has no
/// more. One that cannot be had fails no other.
public final class PhotoFetch: @unchecked Sendable {
  public struct Options: Sendable {
    /// Where images lie that are not all here.
    public var directory: FilePath
    public var files: FileSystem
    public var clock: FetchClock
    public var random: @Sendable () -> UInt64
    public var http = HTTPSettings()
    public var lines = 4
    public var retries = RetryPolicy()
    /// The most bytes of an image.
    public var imageLimit = 100 << 20
    public var questionPatience = HTTPPatience(milliseconds: 60_000)
    public var imagePatience = HTTPPatience(milliseconds: 60_000, bytesPerSecond: 4096)
    public var isCancelled: @Sendable () -> Bool = { false }

    public init(
      directory: FilePath, files: FileSystem, clock: FetchClock,
      random: @escaping @Sendable () -> UInt64
    ) {
      (self.directory, self.files, self.clock, self.random) = (directory, files, clock, random)
      retries.attempts = 4
      retries.longestDelayMilliseconds = 5000
      http.redirects = .follow(5)
    }
  }

  private struct State {
    var plan: FetchPlan
    /// `keeping` is where a download is on the disk.
    var here: [(photo: SourcePhoto, file: FilePath, keeping: ImageDownload.Place?)] = []
    /// What this machine's disk refused.
    var fault: (any Error)?
    var lines: Int
  }

  // The source is a value; what the lines share is locked.
  private let source: any PhotoSource
  private let query: SourceQuery
  private let options: Options
  private let state: Mutex<State>
  private let news = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - count: How many new ones are wanted; nil for all.
  ///   - fetchedBefore: The ``SourcePhoto/keys(of:)`` of the photos that were fetched before.
  public init(
    _ source: any PhotoSource, _ query: SourceQuery, count: Int?, fetchedBefore: Set<String>,
    options: Options
  ) {
    (self.source, self.query, self.options) = (source, query, options)
    state = Mutex(
      State(
        plan: FetchPlan(
          source.name, query, wanted: count, fetchedBefore: fetchedBefore, retries: options.retries),
        lines: max(1, min(options.lines, count ?? .max))))
  }

  /// Fetches, and has each image judged by the thread that calls, which is the only one that waits for
  /// nothing else. A judge that throws ends the fetch.
  public func run(_ judge: (FetchedPhoto) throws -> FetchVerdict) throws -> FetchReport {
    sweep()
    let threads = DispatchGroup()
    for _ in 0..<state.withLock({ $0.lines }) {
      // A queue of its own has a thread of its own.
      DispatchQueue(label: "photos").async(group: threads) { self.work() }
    }
    defer { threads.wait() }
    do {
      while let (photo, file, keeping) = nextArrival() {
        let verdict = try judge(FetchedPhoto(photo: photo, file: file))
        keeping?.discard(options.files)
        state.withLock { $0.plan.judged(photo, verdict) }
      }
    } catch {
      state.withLock { $0.plan.stop() }
      throw error
    }
    return try state.withLock { state in
      if let fault = state.fault { throw fault }
      return FetchReport(
        arrived: state.plan.arrived, known: state.plan.known, failed: state.plan.failed,
        trouble: state.plan.trouble)
    }
  }

  /// Waits for the next image; nil when there will be none.
  private func nextArrival() -> (SourcePhoto, FilePath, ImageDownload.Place?)? {
    while true {
      news.wait()
      let (first, isOver) = state.withLock { state in
        (state.here.isEmpty ? nil : state.here.removeFirst(), state.lines == 0)
      }
      if let first { return first }
      if isOver { return nil }
    }
  }

  /// What lay about for a week is not taken up any more.
  private func sweep() {
    let week: Int64 = 7 * 24 * 3600 * 1000
    for name in (try? options.files.list(options.directory)) ?? nil ?? [] {
      let path = options.directory.appending(name)
      let modified = ((try? options.files.status(path)) ?? nil)?.modified ?? 0
      guard modified / 1_000_000 < options.clock.now() - week else { continue }
      ((try? ImageDownload.Place(path, files: options.files)) ?? nil)?.discard(options.files)
    }
  }

  // MARK: One line

  private func work() {
    var settings = options.http
    settings.isCancelled = options.isCancelled
    let client = HTTPClient(settings)
    defer {
      state.withLock { $0.lines -= 1 }
      news.signal()
    }
    while true {
      if options.isCancelled() {
        state.withLock {
          $0.plan.stop(SourceError(.cancelled, source.name.title, "was asked to stop"))
        }
      }
      switch state.withLock({ $0.plan.next(now: options.clock.now()) }) {
      case .done: return
      case .idle: usleep(2000)
      // What another line finds may make it needless to wait for long.
      case .wait(let until):
        options.clock.wait(min(until, options.clock.now() + 500), options.isCancelled)
      case .ask(let cursor): ask(cursor, over: client)
      case .fetch(let item): fetch(item, over: client)
      }
    }
  }

  private func ask(_ cursor: String?, over client: HTTPClient) {
    do {
      let found = try page(after: cursor, over: client)
      state.withLock { $0.plan.answered(found) }
    } catch {
      state.withLock {
        $0.plan.failedToAsk(error, now: options.clock.now(), random: options.random())
      }
    }
  }

  private func page(
    after cursor: String?, over client: HTTPClient
  ) throws(SourceError) -> SourcePage {
    switch try source.step(query, after: cursor) {
    case .page(let page): return page
    case .ask(let url, let headers):
      let answer = try SourceQuestion(source, url, headers, options.questionPatience)
        .ask(client, now: options.clock.now())
      return try source.page(answer, query, after: cursor)
    }
  }

  private func fetch(_ item: FetchPlan.Item, over client: HTTPClient) {
    do {
      let (file, keeping) = try bring(item.photo, over: client)
      state.withLock { state in
        state.plan.fetched(item)
        state.here.append((item.photo, file, keeping))
      }
      news.signal()
    } catch let error as SourceError {
      state.withLock {
        $0.plan.failed(item, error, now: options.clock.now(), random: options.random())
      }
    } catch {
      // This machine's disk lets nothing else through.
      let fault = error
      state.withLock { state in
        state.fault = state.fault ?? fault
        state.plan.failed(
          item, SourceError(.cancelled, source.name.title, "was given up"),
          now: options.clock.now(), random: 0)
      }
    }
  }

  private func bring(
    _ photo: SourcePhoto, over client: HTTPClient
  ) throws -> (FilePath, ImageDownload.Place?) {
    let location: WebLocation
    switch photo.image {
    case .file(let path): return (path, nil)
    case .web(let place): location = place
    }
    guard
      let download = try ImageDownload(
        location, in: options.directory, limit: options.imageLimit, files: options.files)
    else {
      throw SourceError(.refused, location.description, "is being fetched by another process")
    }
    do {
      return (try complete(download, location, over: client), download.place)
    } catch let error as SourceError {
      if !error.isTransient { download.place.discard(options.files) }
      throw error
    }
  }

  private func complete(
    _ download: ImageDownload, _ location: WebLocation, over client: HTTPClient
  ) throws -> FilePath {
    var request = download.request
    request.patience = options.imagePatience
    let response: HTTPResponse
    do {
      response = try client.send(request, into: download.take)
    } catch let error as HTTPError {
      throw SourceError(error, location.description)
    }
    guard response.isSuccess || response.status == 416 else {
      throw SourceError(response.failure(now: options.clock.now()), location.description)
    }
    return try download.finish(response)
  }
}
