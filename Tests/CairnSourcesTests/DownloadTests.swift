import CairnHTTP
import CairnSources
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Downloads")
struct DownloadTests {
  private func plan(_ fault: String, times: Int = 1, match: String = "/images/list-1") -> String {
    #"{"faults": [{"match": "\#(match)", "times": \#(times), \#(fault)}]}"#
  }

  @Test("resumes an interrupted download if the image is unchanged")
  func resumes() throws {
    let scene = try Scene(plan(#""do": "cut", "after": 100"#))
    let report = try scene.fetch(images: ["list-1.png"])
    #expect(report.added == 1 && report.failed.isEmpty)
    let requests = scene.services.requests("/images/")
    #expect(requests.map { $0.headers["range"] } == [nil, "bytes=100-"])
    #expect(requests[1].headers["if-range"]?.hasPrefix("\"") == true)
    let whole = try Scene()
    try whole.fetch(images: ["list-1.png"])
    #expect(scene.fetched[0].bytes == whole.fetched[0].bytes)
  }

  @Test("resumes a download that an earlier process left behind")
  func resumesLater() throws {
    let scene = try Scene(plan(#""do": "cut", "after": 100"#, times: 2))
    let quick = scene.options { $0.retries.attempts = 1 }
    let first = try scene.fetch(images: ["list-1.png"], options: quick)
    #expect(first.added == 0 && first.failed.count == 1 && scene.leftovers.count == 1)
    let second = try scene.fetch(images: ["list-1.png"])
    #expect(second.added == 1 && scene.leftovers.isEmpty)
    // The second request was cut at the same byte, so the download restarted; the third resumed it.
    #expect(scene.services.requests("/images/").last?.headers["range"] == "bytes=100-")
  }

  @Test("restarts a download whose partial file is for another address, and deletes old ones")
  func stale() throws {
    let scene = try Scene(plan(#""do": "cut", "after": 100"#))
    let quick = scene.options { $0.retries.attempts = 1 }
    try scene.fetch(images: ["list-1.png"], options: quick)
    let note = scene.directory.appending(scene.leftovers[0]).appending("from")
    let text = try String(contentsOfFile: note.string, encoding: .utf8)
    try text.replacingOccurrences(of: "list-1", with: "list-2")
      .write(toFile: note.string, atomically: true, encoding: .utf8)
    #expect(try scene.fetch(images: ["list-1.png"]).added == 1)
    #expect(scene.services.requests("/images/").last?.headers["range"] == nil)

    let late = try Scene(plan(#""do": "cut", "after": 100"#))
    try late.fetch(images: ["list-1.png"], options: late.options { $0.retries.attempts = 1 })
    let clock = late.clock.clock
    clock.wait(Int64(Date().timeIntervalSince1970 * 1000) + 8 * 24 * 3_600_000) { false }
    try late.fetch(images: ["list-3.png"])
    #expect(late.leftovers.isEmpty)
  }

  @Test("restarts a download when the server sends another range than requested")
  func wrongRange() throws {
    let scene = try Scene(
      #"{"faults": [{"match": "list-1", "do": "cut", "after": 100}, {"match": "list-1", "do": "wrong-range", "skip": 1}]}"#
    )
    let report = try scene.fetch(images: ["list-1.png"])
    #expect(report.added == 1)
    let requests = scene.services.requests("/images/")
    #expect(requests.map { $0.headers["range"] } == [nil, "bytes=100-", nil])
    let whole = try Scene()
    try whole.fetch(images: ["list-1.png"])
    #expect(scene.fetched[0].bytes == whole.fetched[0].bytes)
  }

  @Test(
    "reports an image that cannot be fetched and fetches the others",
    arguments: [
      (#""do": "status", "status": 404"#, SourceError.Kind.notFound, 1),
      (#""do": "status", "status": 403"#, .refused, 1),
      (#""do": "status", "status": 500"#, .refused, 4),
      (
        #""do": "bytes", "type": "text/html; charset=utf-8", "body": "<html>no</html>""#,
        .notAnImage, 1
      ),
      (#""do": "bytes", "body": """#, .notAnImage, 1),
      (#""do": "redirect", "to": "file:///etc/passwd""#, .refused, 1),
      (#""do": "redirect", "to": "{base}/images/list-1.png""#, .refused, 6),
      (#""do": "huge""#, .tooLarge, 1), (#""do": "endless""#, .tooLarge, 1),
      (#""do": "hangup""#, .unreachable, 4),
    ])
  func failures(fault: String, kind: SourceError.Kind, requests: Int) throws {
    let scene = try Scene(plan(fault, times: 99))
    let options = scene.options { $0.imageLimit = 1 << 20 }
    let report = try scene.fetch(
      images: ["list-0.png", "list-1.png", "list-2.png"], options: options)
    #expect(report.added == 2 && report.failure == nil)
    let failure = try #require(report.failed.first)
    #expect(failure.error.kind == kind, "\(failure.error)")
    #expect("\(failure.error)".contains("127.0.0.1"))
    #expect(!"\(failure.error)".hasSuffix("."))
    // curl repeats a request by itself when a reused connection turns out to be closed.
    let most = kind == .unreachable ? 2 * requests : requests
    #expect((requests...most).contains(scene.services.requests("/images/list-1").count))
    #expect(scene.fetched.allSatisfy { $0.bytes.count > 100 })
  }

  @Test(
    "gives up on a slow server, reports a timeout and fetches the other images",
    arguments: [#""do": "drip""#, #""do": "drip", "status": 404"#])
  func slowServer(fault: String) throws {
    let scene = try Scene(plan(fault, times: 99))
    let options = scene.options {
      $0.imageTimeout.milliseconds = 1000
      $0.retries.attempts = 1
    }
    let report = try scene.fetch(
      images: ["list-0.png", "list-1.png", "list-2.png"], options: options)
    #expect(report.added == 2 && report.failure == nil)
    let error = try #require(report.failed.first).error
    #expect(report.failed.count == 1 && error.kind == .unreachable)
    #expect("\(error)".contains("did not respond in time"))
  }

  @Test("reports the status of an error response that never ends")
  func endlessError() throws {
    let scene = try Scene(plan(#""do": "endless", "status": 404"#, times: 99))
    let report = try scene.fetch(
      images: ["list-0.png", "list-1.png", "list-2.png"],
      options: scene.options { $0.retries.attempts = 1 })
    #expect(report.added == 2 && report.failure == nil)
    let error = try #require(report.failed.first).error
    #expect("\(error)".contains("returned 404"))
  }

  @Test("refuses to fetch an image that another fetch is processing")
  func alone() throws {
    let scene = try Scene()
    let location = try #require(WebLocation("\(scene.services.base)/images/list-1.png"))
    func fetch() -> PhotoFetch {
      PhotoFetch(
        URLListSource([location]), SourceQuery(), count: nil, fetchedBefore: [],
        options: scene.options())
    }
    let report = try fetch().run { fetched in
      let other = try fetch().run { _ in .added }
      #expect(other.added == 0)
      #expect(
        other.failed.map { "\($0.error)" } == ["\(location) is being fetched by another process"])
      #expect(try Data(contentsOf: URL(filePath: fetched.file.string)).count > 100)
      return .added
    }
    #expect(report.added == 1 && scene.leftovers.isEmpty)
    #expect(try fetch().run { _ in .added }.added == 1)
  }

  @Test("follows a redirect to another web address")
  func redirect() throws {
    let scene = try Scene(plan(#""do": "redirect", "to": "{base}/images/other-7.png""#))
    #expect(try scene.fetch(images: ["list-1.png"]).added == 1)
    #expect(scene.fetched[0].name == "list-1.png")
  }

  @Test("stops the fetch when processing a photo throws")
  func judge() throws {
    struct Full: Error {}
    let scene = try Scene()
    #expect(throws: Full.self) {
      try PhotoFetch(
        scene.source(.openverse), Scene.query(.openverse), count: 20, fetchedBefore: [],
        options: scene.options { $0.workers = 1 }
      ).run { _ in throw Full() }
    }
    #expect(scene.services.requests("/images/").count < 20)
  }

  @Test("stops when canceled and keeps what was fetched")
  func stops() throws {
    let scene = try Scene()
    let isOver = Mutex(false)
    let fetch = PhotoFetch(
      scene.source(.openverse), Scene.query(.openverse), count: 20, fetchedBefore: [],
      options: scene.options { $0.isCancelled = { isOver.withLock { $0 } } })
    let report = try fetch.run { _ in
      isOver.withLock { $0 = true }
      return .added
    }
    #expect(report.added >= 1 && report.added < 20)
    #expect(report.failure?.kind == .cancelled)
  }

  @Test("fetches more photos in place of those that were not added")
  func judged() throws {
    let scene = try Scene(#"{"total": 12}"#)
    let report = try scene.fetch(scene.source(.openverse), Scene.query(.openverse), count: 4) {
      switch Int($0.title?.split(separator: " ").last ?? "") ?? 0 {
      case 0, 1: .known
      case 2: .unusable(SourceError(.notAnImage, "127.0.0.1", "has a song"))
      default: .added
      }
    }
    #expect(report.added == 4 && report.known <= 2 && report.failed.count <= 1)
    #expect(scene.services.requests("/images/").count == 4 + report.known + report.failed.count)
  }
}
