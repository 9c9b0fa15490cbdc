import CairnDocument
import CairnFiles
import CairnHTTP
import CairnSources
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A clock that advances only when somebody waits.
final class WaitedClock: Sendable {
  private let start: Int64
  private let time: Mutex<Int64>

  init() {
    start = Int64(Date().timeIntervalSince1970 * 1000)
    time = Mutex(start)
  }

  var now: Int64 { time.withLock { $0 } }

  /// The total time waited, in milliseconds.
  var waited: Int64 { now - start }

  var clock: FetchEnvironment {
    FetchEnvironment(now: { self.now }) { until, _ in self.time.withLock { $0 = max($0, until) } }
  }
}

/// Services, a clock, and a directory for fetched images.
final class Scene {
  let services: PhotoServices
  let clock = WaitedClock()
  private let downloads = TemporaryDirectory()
  /// The fetched photos, with their bytes and file names.
  private(set) var fetched: [(photo: SourcePhoto, bytes: Data, name: String)] = []

  init(_ plan: String = "{}") throws {
    services = try PhotoServices(plan)
  }

  /// The directory of the downloads.
  var directory: FilePath { downloads.root }

  func source(_ name: SourceName, key: String? = "good-key") -> any PhotoSource {
    let access = SourceCredentials(name, url: services.url(name.rawValue), key: key)
    return switch name {
    case .flickr: Flickr(access)
    case .commons: Commons(access)
    case .inaturalist: INaturalist(access)
    case .openverse: Openverse(access)
    case .dogCEO: DogCEO(access)
    case .urls: URLListSource([])
    case .folder: FolderSource([])
    }
  }

  /// Returns a query that the service supports.
  static func query(_ name: SourceName) -> SourceQuery {
    var query = SourceQuery()
    switch name {
    case .flickr, .commons, .inaturalist:
      let center = Coordinate(latitude: 48.8584, longitude: 2.2945)!
      query.area = SearchArea(center, radiusMeters: 500)
    case .openverse: query.text = "tree"
    case .dogCEO: query.text = "cairn terrier"
    case .urls, .folder: break
    }
    query.licenses = name.defaultLicenses
    return query
  }

  func options(_ change: (inout PhotoFetch.Options) -> Void = { _ in }) -> PhotoFetch.Options {
    var options = PhotoFetch.Options(
      directory: directory, files: FileSystem(), clock: clock.clock, random: { 0 })
    options.http.userAgent = "cairn/test (ann@example.org)"
    change(&options)
    return options
  }

  @discardableResult
  func fetch(
    _ source: any PhotoSource, _ query: SourceQuery, count: Int?, before: Set<String> = [],
    options: PhotoFetch.Options? = nil, verdict: (SourcePhoto) -> FetchOutcome = { _ in .added }
  ) throws -> FetchReport {
    let fetch = PhotoFetch(
      source, query, count: count, fetchedBefore: before, options: options ?? self.options())
    return try fetch.run { photo in
      let bytes = try Data(contentsOf: URL(filePath: photo.file.string))
      fetched.append((photo.photo, bytes, photo.file.lastComponent?.string ?? ""))
      return verdict(photo.photo)
    }
  }

  /// Fetches the images at these paths of the server.
  @discardableResult
  func fetch(
    images paths: [String], options: PhotoFetch.Options? = nil
  ) throws -> FetchReport {
    let locations = try paths.map {
      try #require(WebLocation("\(services.base)/images/\($0)"))
    }
    return try fetch(URLListSource(locations), SourceQuery(), count: nil, options: options)
  }

  /// The partial downloads.
  var leftovers: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.string)) ?? []).sorted()
  }
}
