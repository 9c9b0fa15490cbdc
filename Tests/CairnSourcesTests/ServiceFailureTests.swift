import CairnDocument
import CairnHTTP
import CairnSources
import Foundation
import TestSupport
import Testing

@Suite("Failures of photo services")
struct ServiceFailureTests {
  private func fault(_ match: String, _ rest: String, times: Int = 1) -> String {
    #"{"total": 8, "faults": [{"match": "\#(match)", "times": \#(times), \#(rest)}]}"#
  }

  private func path(_ name: SourceName) -> String {
    name == .dogCEO ? "/dogceo" : "/\(name.rawValue)"
  }

  @Test(
    "waits as long as Retry-After says after a 429, then continues",
    arguments: ServiceTests.services)
  func retryAfter(name: SourceName) throws {
    let body: [SourceName: String] = [
      .inaturalist: #"{\"error\":\"Too Many Requests\",\"status\":429}"#,
      .openverse: #"{\"detail\":\"Request was throttled. Expected available in 42 seconds.\"}"#,
    ]
    let scene = try Scene(
      fault(
        path(name),
        #""do": "status", "status": 429, "body": "\#(body[name] ?? "slow down")", "#
          + #""headers": {"Retry-After": "42", "X-RateLimit-Available-anon_burst": "0"}"#))
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 3)
    #expect(report.added == 3 && report.failure == nil)
    #expect(scene.clock.waited >= 42_000)
  }

  @Test(
    "waits before it requests more from an image host that asks for it",
    arguments: ServiceTests.services)
  func imageRetryAfter(name: SourceName) throws {
    let path = name == .dogCEO ? "/images/breeds" : "/images/\(name.rawValue)"
    let scene = try Scene(
      fault(path, #""do": "status", "status": 429, "headers": {"Retry-After": "60"}"#))
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 4)
    #expect(report.added == 4 && report.failed.isEmpty)
    #expect(scene.clock.waited >= 60_000)
  }

  @Test("stops when a service asks it to wait for hours")
  func tooLong() throws {
    let scene = try Scene(
      fault(
        "/inaturalist", #""do": "status", "status": 429, "headers": {"Retry-After": "7200"}"#,
        times: 9))
    let report = try scene.fetch(scene.source(.inaturalist), Scene.query(.inaturalist), count: 3)
    #expect(report.failure?.kind == .busy && scene.services.requests().count == 1)
    #expect("\(report.failure!)".contains("7200 s"))
  }

  @Test("waits while Wikimedia Commons reports maxlag")
  func maxlag() throws {
    let scene = try Scene(#"{"total": 4, "lag": 20}"#)
    let report = try scene.fetch(scene.source(.commons), Scene.query(.commons), count: 2)
    #expect(report.added == 2)
    #expect(scene.services.requests("/commons").count == 2 && scene.clock.waited >= 5000)
  }

  @Test(
    "retries temporary Flickr failures with status 200 and reports the others",
    arguments: [
      (10, true), (105, true), (106, true), (201, true), (1, false), (3, false), (18, false),
      (100, false), (112, false), (116, false),
    ])
  func flickr(code: Int, passes: Bool) throws {
    let body = #"{\"stat\":\"fail\",\"code\":\#(code),\"message\":\"Words of code \#(code)\"}"#
    let scene = try Scene(fault("/flickr", #""do": "status", "status": 200, "body": "\#(body)""#))
    let report = try scene.fetch(scene.source(.flickr), Scene.query(.flickr), count: 2)
    #expect(report.added == (passes ? 2 : 0))
    #expect(scene.services.requests("/flickr").count == (passes ? 2 : 1))
    if passes { return }
    #expect(report.failure?.kind == (code == 100 ? .wrongKey : .refused))
    #expect("\(report.failure!)" == "Flickr reported “Words of code \(code)”")
  }

  @Test(
    "reports a refusal with the service's message",
    arguments: [
      (
        SourceName.commons, 200,
        #"{\"error\":{\"code\":\"toobig\",\"info\":\"Bounding box is too big\"}}"#,
        "Bounding box is too big"
      ),
      (.inaturalist, 422, #"{\"error\":\"Unknown taxon\",\"status\":422}"#, "Unknown taxon"),
      (.openverse, 400, #"{\"detail\":{\"q\":[\"Too short\"]}}"#, "Too short"),
      (
        .openverse, 401, #"{\"detail\":\"Invalid token header. No credentials provided.\"}"#,
        "Invalid token"
      ),
      (
        .dogCEO, 404, #"{\"status\":\"error\",\"message\":\"Breed not found\",\"code\":404}"#,
        "Breed not found"
      ),
    ])
  func refusals(name: SourceName, status: Int, body: String, text: String) throws {
    let scene = try Scene(
      fault(path(name), #""do": "status", "status": \#(status), "body": "\#(body)""#, times: 9))
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 2)
    #expect("\(try #require(report.failure))".contains(text))
    #expect(scene.services.requests().count == 1, "it is not retried")
  }

  @Test(
    "retries an answer that is incomplete or not JSON, then reports it",
    arguments: ServiceTests.services,
    [
      #""do": "bytes", "type": "text/html", "body": "<html>Please log in</html>""#,
      #""do": "bytes", "type": "application/json", "body": "{\"stat\": \"ok\", \"photos\": {""#,
      #""do": "cut", "after": 8, "more": 20"#,
      #""do": "bytes", "type": "application/json", "body": "[", "repeat": 100000"#,
      #""do": "hangup""#,
    ])
  func garbled(name: SourceName, what: String) throws {
    let once = try Scene(fault(path(name), what))
    #expect(try once.fetch(once.source(name), Scene.query(name), count: 2).added == 2)
    let always = try Scene(fault(path(name), what, times: 99))
    let report = try always.fetch(always.source(name), Scene.query(name), count: 2)
    let failure = try #require(report.failure)
    #expect([.invalidResponse, .unreachable].contains(failure.kind) && report.added == 0)
    #expect("\(failure)".hasPrefix(name.title), "\(failure)")
    #expect(always.services.requests().count == 4)
  }

  @Test(
    "reports JSON of another shape without a retry",
    arguments: ServiceTests.services,
    ["[]", "null", "7", #"{\"photos\": 7, \"query\": 7, \"results\": {}, \"status\": 1}"#])
  func shapes(name: SourceName, body: String) throws {
    let scene = try Scene(
      fault(path(name), #""do": "bytes", "type": "application/json", "body": "\#(body)""#, times: 9)
    )
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 2)
    // For Commons, an answer without pages means that there are no photos.
    if name == .commons, body.hasPrefix("{") {
      #expect(report.added == 0 && report.failure == nil)
    } else {
      #expect(report.failure?.kind == .invalidResponse, "\(String(describing: report.failure))")
    }
  }

  @Test(
    "reports a rejected key only if it sent one",
    arguments: [
      (SourceName.openverse, nil, SourceError.Kind.refused), (.openverse, "key", .wrongKey),
      (.flickr, "key", .wrongKey),
    ])
  func rejectedKey(name: SourceName, key: String?, kind: SourceError.Kind) throws {
    let scene = try Scene(
      fault(path(name), #""do": "status", "status": 403, "body": "<html>Access denied</html>""#))
    let report = try scene.fetch(scene.source(name, key: key), Scene.query(name), count: 2)
    #expect(report.failure?.kind == kind && report.added == 0)
  }

  @Test("rejects an answer that is too large")
  func huge() throws {
    let scene = try Scene(
      fault(
        "/flickr",
        #""do": "bytes", "type": "application/json", "body": "          ", "repeat": 1000000"#,
        times: 9))
    let report = try scene.fetch(scene.source(.flickr), Scene.query(.flickr), count: 2)
    #expect(report.failure?.kind == .tooLarge)
  }

  @Test("rejects a redirect to anything but http and https", arguments: ServiceTests.services)
  func redirects(name: SourceName) throws {
    for target in ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"] {
      let scene = try Scene(fault(path(name), #""do": "redirect", "to": "\#(target)""#, times: 9))
      let report = try scene.fetch(scene.source(name), Scene.query(name), count: 2)
      #expect(report.failure?.kind == .refused, "\(target)")
      #expect(scene.services.requests().count == 1)
    }
  }

  @Test("skips photos without a valid web address")
  func hostileAddresses() throws {
    let page =
      #"{\"stat\":\"ok\",\"photos\":{\"pages\":1,\"photo\":[{\"id\":\"1\",\"owner\":\"o\",\"license\":4,\"url_l\":\"file:///etc/passwd\"},{\"id\":\"2\",\"owner\":\"o\",\"license\":4,\"url_l\":\"http://u:p@127.0.0.1/\"},{\"id\":{},\"owner\":[]},7,null]}}"#
    let scene = try Scene(
      fault("/flickr", #""do": "bytes", "type": "application/json", "body": "\#(page)""#))
    let report = try scene.fetch(scene.source(.flickr), Scene.query(.flickr), count: 2)
    #expect(report.added == 0 && report.failure == nil && report.failed.isEmpty)
    #expect(scene.services.requests().count == 1)
  }

  @Test("rejects an unsupported query before it sends a request")
  func queries() throws {
    let scene = try Scene()
    var far = Scene.query(.flickr)
    far.area?.radiusMeters = 40_000
    var textOnly = SourceQuery()
    textOnly.text = "oak"
    var licensed = SourceQuery()
    licensed.licenses = [.cc0]
    for (name, query) in [
      (SourceName.flickr, far), (.commons, far), (.flickr, SourceQuery()),
      (.commons, SourceQuery()),
      (.openverse, SourceQuery()), (.openverse, far), (.dogCEO, far), (.dogCEO, licensed),
      (.urls, textOnly), (.urls, far), (.folder, licensed),
    ] {
      let error = #expect(throws: SourceError.self) {
        try scene.source(name).step(query, after: nil)
      }
      #expect(error?.kind == .unsupportedQuery, "\(name)")
    }
    let error = #expect(throws: SourceError.self) {
      try scene.source(.flickr, key: nil).step(Scene.query(.flickr), after: nil)
    }
    #expect(error?.kind == .needsKey)
    #expect(scene.services.requests().isEmpty)
  }

  @Test("gives up on a service that answers too slowly")
  func slowServer() throws {
    let scene = try Scene(fault("/openverse", #""do": "drip""#, times: 9))
    let options = scene.options {
      $0.requestTimeout.milliseconds = 200
      $0.retries.attempts = 2
    }
    let source = scene.source(.openverse)
    let report = try scene.fetch(source, Scene.query(.openverse), count: 2, options: options)
    #expect(report.failure?.kind == .unreachable && report.added == 0)
    #expect("\(try #require(report.failure))".contains("did not respond in time"))
    #expect(scene.services.requests().count == 2)
    let error = #expect(throws: SourceError.self) {
      try PhotoFetch.test(source, Scene.query(.openverse), options: options)
    }
    #expect(error?.kind == .unreachable)
  }

  @Test("reports an unreachable service after a few retries")
  func nobody() throws {
    let scene = try Scene()
    let source = scene.source(.commons)
    scene.services.stop()
    let report = try scene.fetch(source, Scene.query(.commons), count: 2)
    #expect(report.failure?.kind == .unreachable && report.failure?.isBeforeConnection == true)
  }
}
