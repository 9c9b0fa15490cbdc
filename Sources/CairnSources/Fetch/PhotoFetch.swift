internal import CairnDocument
package import CairnFiles
package import CairnHTTP
internal import Dispatch
internal import LibC
internal import Synchronization
package import SystemPackage

/// A fetch of photos from a source with several workers, until the requested number of new photos
/// is reached or the source is exhausted. A failed photo does not affect others.
package final class PhotoFetch: @unchecked Sendable {
  package struct Options: Sendable {
    /// The directory of incomplete downloads.
    package var directory: FilePath
    package var files: FileSystem
    package var clock: FetchEnvironment
    package var random: @Sendable () -> UInt64
    package var http = HTTPSettings()
    package var workers = 4
    package var retries = RetryPolicy()
    /// The maximum size of an image, in bytes.
    package var imageLimit = 100 << 20
    package var requestTimeout = HTTPDeadline(milliseconds: 60_000)
    package var imageTimeout = HTTPDeadline(milliseconds: 60_000, bytesPerSecond: 4096)
    package var isCancelled: @Sendable () -> Bool = { false }

    package init(
      directory: FilePath, files: FileSystem, clock: FetchEnvironment,
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
    /// `destination` is the download's directory.
    var downloaded:
      [(photo: SourcePhoto, file: FilePath, destination: ImageDownload.Destination?)] = []
    /// The error from this machine's disk.
    var fault: (any Error)?
    var workers: Int
  }

  // The source is a value; the state shared by workers is locked.
  private let source: any PhotoSource
  private let query: SourceQuery
  private let options: Options
  private let state: Mutex<State>
  private let progressed = DispatchSemaphore(value: 0)

  /// Creates a fetch.
  ///
  /// - Parameters:
  ///   - count: The requested number of new photos; nil for all.
  ///   - fetchedBefore: The ``SourcePhoto/keys(of:)`` of the photos that were fetched before.
  package init(
    _ source: any PhotoSource, _ query: SourceQuery, count: Int?, fetchedBefore: Set<String>,
    options: Options
  ) {
    (self.source, self.query, self.options) = (source, query, options)
    state = Mutex(
      State(
        plan: FetchPlan(
          source.name, query, wanted: count, fetchedBefore: fetchedBefore,
          retries: options.retries),
        workers: max(1, min(options.workers, count ?? .max))))
  }

  /// Runs the fetch and calls `process` for each image on the calling thread, which does nothing
  /// else. An error from `process` ends the fetch.
  @discardableResult
  package func run(_ process: (FetchedPhoto) throws -> FetchOutcome) throws -> FetchReport {
    removeStaleDownloads()
    let threads = DispatchGroup()
    for _ in 0..<state.withLock({ $0.workers }) {
      // Each queue has a thread of its own.
      DispatchQueue(label: "photos").async(group: threads) { self.work() }
    }
    defer { threads.wait() }
    do {
      while let (photo, file, destination) = nextDownload() {
        let outcome = try process(FetchedPhoto(photo: photo, file: file))
        destination?.discard(options.files)
        state.withLock { $0.plan.processed(photo, outcome) }
      }
    } catch {
      state.withLock { $0.plan.stop() }
      throw error
    }
    if let fault = state.withLock({ $0.fault }) { throw fault }
    return report
  }

  /// What was fetched so far.
  package var report: FetchReport {
    state.withLock { state in
      FetchReport(
        added: state.plan.added, known: state.plan.known, failed: state.plan.failed,
        hasGivenUp: state.plan.hasGivenUp, failure: state.plan.failure)
    }
  }

  /// Waits for the next image; returns nil when there are no more.
  private func nextDownload() -> (SourcePhoto, FilePath, ImageDownload.Destination?)? {
    while true {
      progressed.wait()
      let (first, isOver) = state.withLock { state in
        (state.downloaded.isEmpty ? nil : state.downloaded.removeFirst(), state.workers == 0)
      }
      if let first { return first }
      if isOver { return nil }
    }
  }

  /// Removes downloads untouched for a week.
  private func removeStaleDownloads() {
    let week: Int64 = 7 * 24 * 3600 * 1000
    for name in (try? options.files.list(options.directory)) ?? nil ?? [] {
      let path = options.directory.appending(name)
      let modified = ((try? options.files.status(path)) ?? nil)?.modified ?? 0
      guard modified / 1_000_000 < options.clock.now() - week else { continue }
      ((try? ImageDownload.Destination(path, files: options.files)) ?? nil)?.discard(options.files)
    }
  }

  // MARK: Worker

  private func work() {
    var settings = options.http
    settings.isCancelled = options.isCancelled
    let client = HTTPClient(settings)
    defer {
      state.withLock { $0.workers -= 1 }
      progressed.signal()
    }
    while true {
      if options.isCancelled() {
        state.withLock {
          $0.plan.stop(SourceError(.cancelled, source.name.title, "was stopped"))
        }
      }
      switch state.withLock({ $0.plan.next(now: options.clock.now()) }) {
      case .done: return
      case .idle: usleep(2000)
      // Results of another worker may make a long wait unnecessary.
      case .wait(let until):
        options.clock.wait(min(until, options.clock.now() + 500), options.isCancelled)
      case .requestPage(let cursor): requestPage(cursor, over: client)
      case .fetch(let item): fetch(item, over: client)
      }
    }
  }

  private func requestPage(_ cursor: String?, over client: HTTPClient) {
    do {
      let found = try page(after: cursor, over: client)
      state.withLock { $0.plan.received(found) }
    } catch {
      state.withLock {
        $0.plan.pageRequestFailed(error, now: options.clock.now(), random: options.random())
      }
    }
  }

  private func page(
    after cursor: String?, over client: HTTPClient
  ) throws(SourceError) -> SourcePage {
    switch try source.step(query, after: cursor) {
    case .page(let page): return page
    case .request(let url, let headers):
      let response = try HTTPSourceRequest(source, url, headers, options.requestTimeout)
        .send(client, now: options.clock.now())
      return try source.page(response, query, after: cursor)
    }
  }

  private func fetch(_ item: FetchPlan.Item, over client: HTTPClient) {
    do {
      let (file, destination) = try obtain(item.photo, over: client)
      state.withLock { state in
        state.plan.fetched(item)
        state.downloaded.append((item.photo, file, destination))
      }
      progressed.signal()
    } catch let error as SourceError {
      state.withLock {
        $0.plan.failed(item, error, now: options.clock.now(), random: options.random())
      }
    } catch {
      // Any other error comes from this machine's disk.
      let fault = error
      state.withLock { state in
        state.fault = state.fault ?? fault
        state.plan.failed(
          item, SourceError(.cancelled, source.name.title, "was stopped"),
          now: options.clock.now(), random: 0)
      }
    }
  }

  private func obtain(
    _ photo: SourcePhoto, over client: HTTPClient
  ) throws -> (FilePath, ImageDownload.Destination?) {
    let location: WebLocation
    switch photo.image {
    case .file(let path): return (path, nil)
    case .web(let web): location = web
    }
    guard
      let download = try ImageDownload(
        location, in: options.directory, limit: options.imageLimit, files: options.files)
    else {
      throw SourceError(.refused, location.description, "is being fetched by another process")
    }
    do {
      return (try complete(download, location, over: client), download.destination)
    } catch let error as SourceError {
      if !error.isTransient { download.destination.discard(options.files) }
      throw error
    }
  }

  private func complete(
    _ download: ImageDownload, _ location: WebLocation, over client: HTTPClient
  ) throws -> FilePath {
    var request = download.request
    request.timeout = options.imageTimeout
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
