import Cairn
import CairnDocument
import CairnFiles
import CairnStore
import Foundation
import HTTPTypes
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnServer

@Suite("Security", .serialized)
struct SecurityTests {
  // MARK: Sessions

  @Test("turns the token of a link into a cookie, once")
  func redeemsLinks() async throws {
    let scene = try await ServerScene.start()
    let path = "/" + scene.links.owner.drop { $0 != "?" }
    let first = try await scene.owner.send("GET", path, headers: [:])
    #expect(first.status == 303 && first.headers["location"] == "/")
    let cookie = try #require(first.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    // The session outlives the browser: the link works only once.
    #expect(cookie.contains("Max-Age=604800"))
    let session = try await scene.owner.send(
      "GET", "/api/session", headers: ["Cookie": first.cookie])
    #expect(session.status == 200)
    let second = try await scene.owner.send("GET", path, headers: [:])
    #expect(second.status == 401)
    #expect(second.headers["set-cookie"] == nil)
    #expect(second.text.contains("is not valid"))
    // The person who has the session comes to the page.
    let again = try await scene.owner.send("GET", path, headers: ["Cookie": first.cookie])
    #expect(again.status == 303 && again.headers["location"] == "/")
    #expect(again.headers["set-cookie"] == nil)
  }

  @Test("the preview of a link does not use it up")
  func previewsLinks() async throws {
    let scene = try await ServerScene.start()
    let path = "/" + scene.links.owner.drop { $0 != "?" }
    let preview = try await scene.owner.send("HEAD", path, headers: [:])
    #expect(preview.status == 200 && preview.headers["set-cookie"] == nil)
    #expect(try await scene.owner.send("GET", path, headers: [:]).status == 303)
  }

  @Test("limits how fast tokens can be tried")
  func limitsTokens() async throws {
    let scene = try await ServerScene.start()
    var statuses = Set<Int>()
    // More than are allowed at once; the bucket fills by ten a second.
    for _ in 0..<1_000 where !statuses.contains(429) {
      statuses.insert(try await scene.owner.send("GET", "/?token=0", headers: [:]).status)
    }
    #expect(statuses == [401, 429])
    // Nobody else is kept out.
    _ = try await scene.open(scene.links.owner)
  }

  @Test("limits the connections of each other computer, not those of this one")
  func limitsAddresses() {
    let limit = AddressLimit(2)
    #expect((0..<3).map { _ in limit.begin("192.0.2.7") } == [true, true, false])
    #expect(limit.begin("192.0.2.8"))
    limit.end("192.0.2.7")
    #expect((0..<2).map { _ in limit.begin("192.0.2.7") } == [true, false])
    for address in ["127.0.0.1", nil] {
      #expect((0..<3).allSatisfy { _ in limit.begin(address) })
      limit.end(address)
    }
  }

  @Test("requires a session", arguments: ["GET", "POST"])
  func requiresSession(method: String) async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.owner.send(method, "/api/sets", headers: [:])
    #expect(reply.status == 401)
    #expect(reply.json["kind"]?.string == "unauthorized")
    let wrong = [
      ["Authorization": "Bearer \(String(repeating: "0", count: 64))"],
      ["Authorization": "Basic \(scene.links.key)"], ["Cookie": "cairn-1=\(scene.links.key)"],
    ]
    for headers in wrong {
      #expect(
        try await scene.owner.send("GET", "/api/session", headers: headers).status == 401,
        "\(headers)")
    }
  }

  @Test("writes the file of sessions on none of the threads that tasks share")
  func writesSessions() async throws {
    let writes = Writes()
    let scene = try await ServerScene.start { options, _ in
      options.environment.files = FileSystem { (_, path) throws(FileError) in
        if path.lastComponent?.string == "sessions" {
          writes.add(isInTask: withUnsafeCurrentTask { $0 != nil })
        }
      }
    }
    // The key of the user of this device, then the link.
    #expect(writes.areInTasks == [false])
    _ = try await scene.open(scene.links.owner)
    #expect(writes.areInTasks == [false, false])
  }

  @Test("ends sessions after a week")
  func expires() async throws {
    let time = Box(late: 0)
    let scene = try await ServerScene.start { options, _ in
      let now = options.environment.now
      options.environment.now = { now() + time.late }
    }
    #expect(try await scene.request("GET", "/api/session").status == 200)
    time.set(8 * 86_400_000)
    #expect(try await scene.request("GET", "/api/session").status == 401)
    time.set(0)
    #expect(try await scene.request("GET", "/api/session").status == 401)
  }

  @Test("keeps sessions when it starts again, but not expired ones")
  func keepsSessions() async throws {
    let scene = try await ServerScene.start()
    let headers = ["Authorization": "Bearer \(scene.links.key)"]
    let again = try await scene.restart()
    #expect(try await again.owner.send("GET", "/api/session", headers: headers).status == 200)
    let late = try await again.restart { options, _ in
      let now = options.environment.now
      options.environment.now = { now() + 8 * 86_400_000 }
    }
    #expect(try await late.owner.send("GET", "/api/session", headers: headers).status == 401)
  }

  // MARK: Other sites and computers

  @Test("refuses other names of the host", arguments: ["evil.example", "127.0.0.1", "localhost:1"])
  func refusesHosts(host: String) async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.request("GET", "/api/session", headers: ["Host": host])
    #expect(reply.status == 421)
    #expect(try await scene.owner.send("GET", "/", headers: ["Host": host]).status == 421)
  }

  @Test("refuses changes from other origins with a cookie")
  func refusesOrigins() async throws {
    let scene = try await ServerScene.start()
    func set(_ origin: String?) async throws -> Int {
      var headers = ["Cookie": "cairn-\(scene.port)=\(scene.links.key)"]
      headers["Origin"] = origin
      headers["Content-Type"] = "application/json"
      return try await scene.owner.send("POST", "/api/sets", Array("{}".utf8), headers: headers)
        .status
    }
    #expect(try await set(nil) == 403)
    #expect(try await set("http://evil.example") == 403)
    #expect(try await set("http://localhost:\(scene.port)") == 403)
    #expect(try await set("https://127.0.0.1:\(scene.port)") == 403)
    #expect(try await set("null") == 403)
    #expect(try await set("http://127.0.0.1:\(scene.port)") == 201)
  }

  @Test("hardens every response", arguments: ["/", "/api/session", "/nothing", "/api/nothing"])
  func hardens(path: String) async throws {
    let headers = try await ServerScene.start().request("GET", path).headers
    #expect(headers["x-content-type-options"] == "nosniff")
    #expect(headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(headers["referrer-policy"] == "no-referrer")
    #expect(headers["cross-origin-resource-policy"] == "same-origin")
    #expect(headers["access-control-allow-origin"] == nil)
  }

  // MARK: Readers

  @Test("changes nothing for readers")
  func isReadOnly() async throws {
    let scene = try await ServerScene.start { options, _ in options.isReadOnly = true }
    let before = try await scene.change { try $0.changeMark() }
    for route in PageServer.routes.routes where route.isWrite {
      let reply = try await scene.request(route.method.rawValue, route.example, [:])
      #expect(reply.status == 403, "\(route.method) \(route.path)")
      #expect(reply.json["kind"]?.string == "permission")
    }
    #expect(try await scene.request("POST", "/api/sets", [:]).status == 201)
    // A set changes nothing, but this one would cache features of all photos.
    let uncertain = try await scene.request("POST", "/api/sets", ["uncertain": ["labeler": "oak"]])
    #expect(uncertain.status == 403, "\(uncertain.text)")
    #expect(uncertain.json["kind"]?.string == "permission")
    #expect(try await scene.change { try $0.changeMark() } == before)
  }

  @Test("sessions of an earlier server only read when the next one is for reading")
  func becomesReadOnly() async throws {
    let scene = try await ServerScene.start()
    let headers = scene.owner.headers
    let again = try await scene.restart { options, _ in options.isReadOnly = true }
    let client = Client(port: again.port, headers: headers)
    #expect(try await client.get("/api/session")["readOnly"]?.bool == true)
    #expect(try await client.label([again.photos[0]], "oak").status == 403)
  }

  // MARK: Files

  @Test(
    "serves no files outside of the page",
    arguments: [
      "/page/..%2f..%2fcairn.json", "/page/../cairn.json", "/page/.git", "/cairn.json",
      "/page/%2e%2e/index.html", "/.git/config", "/page/", "/page/index.html%00.js", "//cairn.json",
      "/page//cairn.json", "/page/.git/config", "/page/./cairn.json", "/page/classes/../cairn.json",
      "/page/classes%2f..%2fcairn.json", "/page/cairn.json/", "/page/classes",
    ])
  func servesNoOtherFiles(path: String) async throws {
    let scene = try await ServerScene.start { options, _ in options.page = options.directory }
    #expect(try await scene.request("GET", "/page/cairn.json").status == 200)
    #expect(try await scene.request("GET", path).status == 404)
  }

  @Test("serves the page's files from a directory, and revalidates them")
  func servesPage() async throws {
    let scene = try await ServerScene.start { options, directory in
      try directory.write("export const x = 1\n", to: "page/a.js")
      try directory.write("export const y = 1\n", to: "page/grid/b.js")
      try directory.write("export const z = 1\n", to: "page/grid/deep/c.js")
      options.page = directory.path("page")
    }
    let first = try await scene.owner.send("GET", "/page/a.js", headers: [:])
    #expect(first.text == "export const x = 1\n")
    #expect(first.headers["content-type"]?.hasPrefix("text/javascript") == true)
    let inFolder = try await scene.owner.send("GET", "/page/grid/b.js", headers: [:])
    #expect(inFolder.text == "export const y = 1\n")
    #expect(try await scene.request("GET", "/page/grid/deep/c.js").status == 404)
    let tag = ["If-None-Match": try #require(first.headers["etag"])]
    #expect(try await scene.owner.send("GET", "/page/a.js", headers: tag).status == 304)
    try scene.directory.write("export const x = 2\n", to: "page/a.js")
    #expect(try await scene.owner.send("GET", "/page/a.js", headers: tag).status == 200)
    let head = try await scene.owner.send("HEAD", "/page/a.js", headers: [:])
    #expect(head.status == 200 && head.body.isEmpty)
    #expect(try await scene.owner.send("POST", "/page/a.js", headers: [:]).status == 405)
  }

  @Test("serves every file that the built-in page begins with")
  func servesBuiltInPage() async throws {
    let scene = try await ServerScene.start()
    let html = try await scene.request("GET", "/").text
    let names = html.matches(of: #/(?:href|src)="(/page/[^"]+)"/#).map { String($0.1) }
    #expect(names.count > 30)
    for name in names { #expect(try await scene.request("GET", name).status == 200, "\(name)") }
  }

  // MARK: Sizes and rates

  @Test("refuses bodies that are too large or not JSON")
  func refusesBodies() async throws {
    let scene = try await ServerScene.start()
    func post(_ body: [UInt8], _ type: String) async throws -> Int {
      var headers = scene.owner.headers
      headers["Content-Type"] = type
      return try await scene.owner.send("POST", "/api/sets", body, headers: headers).status
    }
    #expect(try await post(Array("{}".utf8), "text/plain") == 415)
    #expect(try await post(Array("{".utf8), "application/json") == 400)
    #expect(try await post(Array("[]".utf8), "application/json") == 400)
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(try await post(deep, "application/json") == 400)
    let large = [UInt8](repeating: 0x20, count: 5_000_000)
    #expect(try await post(large, "application/json") == 413)
    #expect(try await scene.request("GET", "/api/session").status == 200)
  }

  @Test("refuses a large body of unknown length")
  func refusesChunks() async throws {
    let scene = try await ServerScene.start()
    var headers = scene.owner.headers
    headers["Content-Type"] = "application/json"
    headers["Transfer-Encoding"] = "chunked"
    let connection = try scene.owner.begin("POST", "/api/sets", headers)
    let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0x20, count: 1 << 20) + [13, 10]
    for _ in 0..<5 { connection.send(chunk) }
    #expect(try await connection.receive(until: "\r\n\r\n").contains(" 413 "))
  }

  @Test("refuses headers that are too large")
  func refusesHeaders() async throws {
    let scene = try await ServerScene.start()
    let text = String(repeating: "x", count: 70_000)
    let connection = try scene.owner.begin("GET", "/api/session", ["X-Long": text])
    #expect(try await connection.receive(until: "\r\n").contains(" 400 "))
    #expect(try await scene.request("GET", "/api/session").status == 200)
  }

  @Test("limits the rate of what a session sends")
  func limitsRates() throws {
    let start = ContinuousClock.now
    var bucket = TokenBucket(perSecond: 4, burst: 2)
    #expect([0, 0, 0].map { bucket.take(at: start + .milliseconds($0)) } == [true, true, false])
    let later = start + .seconds(100)
    #expect(
      [0, 0, 0, 250, 250].map { bucket.take(at: later + .milliseconds($0)) }
        == [true, true, false, true, false])
  }

  @Test("refuses reports of presence and requests that come too fast")
  func refusesRates() async throws {
    let scene = try await ServerScene.start()
    var statuses: [Int] = []
    for _ in 0..<200 where statuses.last != 429 {
      let reply = try await scene.request("PUT", "/api/presence", ["view": "grid"])
      statuses.append(reply.status)
      if reply.status == 429 { #expect(reply.headers["retry-after"] == "1") }
    }
    #expect(statuses.first == 204 && statuses.last == 429)
    let session = Session(
      id: 1, person: Person(annotator: nil, name: "", author: nil),
      isReadOnly: false, end: .max)
    #expect(throws: ServeError.self) { for _ in 0..<100_000 { try session.countRequest() } }
  }

  @Test("stops while connections come, and closes them", arguments: 0..<8)
  func stopsWhileAccepting(round: Int) async throws {
    let scene = try await ServerScene.start(photos: 0)
    let connections = try (0..<64).map { _ in try HTTPConnection(port: scene.port) }
    await scene.stop()
    for connection in connections {
      // Reset if the server had not accepted it.
      _ = try? await connection.receiveAll()
    }
  }

  @Test("limits what a session does at once", arguments: Session.Resource.allCases)
  func limitsResources(resource: Session.Resource) throws {
    let session = Session(
      id: 1, person: Person(annotator: nil, name: "", author: nil),
      isReadOnly: false, end: .max)
    for _ in 0..<resource.limit { try session.take(resource) }
    let error = #expect(throws: ServeError.self) { try session.take(resource) }
    #expect(error?.status == .tooManyRequests)
    session.release(resource)
    try session.take(resource)
  }

  @Test(
    "names of files cannot end a header",
    arguments: [
      ("IMG 1.jpg", "filename=\"IMG 1.jpg\""), ("a/b\\c.png", "filename=\"c.png\""),
      ("a\"b.png", "filename=\"x.png\"; filename*=UTF-8''a%22b.png"),
      (
        "a\r\nSet-Cookie: b.png",
        "filename=\"x.png\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b.png"
      ),
      ("Bäume.png", "filename=\"x.png\"; filename*=UTF-8''B%C3%A4ume.png"),
      ("", "filename=\"x.png\""),
    ])
  func fileNames(name: String, header: String) {
    #expect(PixelRoutes.fileName(name, "x.png") == header)
  }
}

/// The writes to a file: whether each of them was made in a task.
private final class Writes: Sendable {
  private let value = Mutex<[Bool]>([])

  var areInTasks: [Bool] { value.withLock { $0 } }

  func add(isInTask: Bool) { value.withLock { $0.append(isInTask) } }
}

/// A clock's offset that a test changes, in milliseconds.
private final class Box: Sendable {
  private let value: Mutex<Int64>

  init(late: Int64) { value = Mutex(late) }

  var late: Int64 { value.withLock { $0 } }

  func set(_ late: Int64) { value.withLock { $0 = late } }
}
