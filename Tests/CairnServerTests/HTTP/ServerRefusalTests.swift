import Cairn
import CairnDocument
import Foundation
import HTTPTypes
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnServer

/// What holds for every route, for every refusal, and for every text of a dataset.
@Suite("Refusals", .serialized, .timeLimit(.minutes(10)))
struct ServerRefusalTests {
  // MARK: Every route

  @Test("every route requires a session")
  func requiresSession() async throws {
    let scene = try await ServerScene.start()
    for route in PageServer.routes.routes {
      let reply = try await scene.owner.send(route.method.rawValue, route.example, headers: [:])
      #expect(reply.status == 401, "\(route.method) \(route.path)")
      #expect(reply.json["kind"]?.string == "unauthorized", "\(route.method) \(route.path)")
    }
  }

  @Test(
    "every change with a cookie needs the page's own origin", arguments: [nil, "http://a.test"])
  func requiresOrigin(origin: String?) async throws {
    let scene = try await ServerScene.start()
    let before = try await scene.change { try $0.changeMark() }
    var headers = ["Cookie": "cairn-\(scene.port)=\(scene.links.key)"]
    headers["Content-Type"] = "application/json"
    headers["Origin"] = origin
    for route in PageServer.routes.routes where route.method != .get {
      let reply = try await scene.owner.send(
        route.method.rawValue, route.example, Array("{}".utf8), headers: headers)
      #expect(reply.status == 403, "\(route.method) \(route.path)")
      #expect(reply.json["kind"]?.string == "refused", "\(route.method) \(route.path)")
    }
    #expect(try await scene.change { try $0.changeMark() } == before)
  }

  @Test("no route of the API responds with markup or a script")
  func sendsNoMarkup() async throws {
    let scene = try await ServerScene.start()
    for route in PageServer.routes.routes where route.method == .get && route.path != "/api/events"
    {
      let reply = try await scene.request("GET", route.example)
      let type = try #require(reply.headers["content-type"], "\(route.path)")
      #expect(!type.contains("html") && !type.contains("xml"), "\(route.path): \(type)")
      #expect(!type.contains("javascript"), "\(route.path): \(type)")
    }
  }

  // MARK: Every refusal

  /// A request that is refused.
  struct Refusal: CustomTestStringConvertible, Sendable {
    let status: Int
    let method: String
    let path: String
    let headers: [String: String]
    let body: String?

    init(
      _ status: Int, _ method: String, _ path: String, _ headers: [String: String] = [:],
      _ body: String? = nil
    ) {
      (self.status, self.method, self.path) = (status, method, path)
      (self.headers, self.body) = (headers, body)
    }

    var testDescription: String { "\(status) \(method) \(path)" }
  }

  private static let json = ["Content-Type": "application/json"]

  private static let refusals: [Refusal] = [
    Refusal(400, "POST", "/api/sets", json, #"{"query":"("}"#),
    Refusal(400, "POST", "/api/sets", json, #"{"query":7}"#),
    Refusal(400, "GET", "/api/thumbnails?ids=0"), Refusal(400, "GET", "/api/people?a=%ff"),
    Refusal(401, "GET", "/?token=0", ["Authorization": ""]),
    Refusal(401, "GET", "/api/session", ["Authorization": ""]),
    Refusal(404, "GET", "/cairn.json"), Refusal(404, "GET", "/api/nothing"),
    Refusal(404, "GET", "/api/photos/\(String(repeating: "0", count: 64))/image"),
    Refusal(405, "POST", "/", json, "{}"), Refusal(405, "PUT", "/api/sets", json, "{}"),
    Refusal(411, "POST", "/api/uploads?name=a.png"),
    Refusal(413, "POST", "/api/uploads?name=a.png", ["Content-Length": "999999999999"]),
    Refusal(
      413, "POST", "/api/sets", ["Content-Type": "application/json", "Content-Length": "5000000"]),
    Refusal(415, "POST", "/api/sets", ["Content-Type": "text/plain"], "{}"),
    Refusal(421, "GET", "/", ["Host": "a.test"]),
    Refusal(421, "GET", "/api/session", ["Host": "a.test"]),
    Refusal(421, "GET", "/api/session", ["Host": ""]),
  ]

  @Test(
    "every refusal has the headers that protect the page, and names no path", arguments: refusals)
  func hardens(refusal: Refusal) async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.owner.send(
      refusal.method, refusal.path, refusal.body.map { Array($0.utf8) },
      headers: scene.owner.headers.merging(refusal.headers) { $1 })
    #expect(reply.status == refusal.status, "\(reply.text)")
    #expect(reply.headers["x-content-type-options"] == "nosniff")
    #expect(reply.headers["content-security-policy"]?.hasSuffix("sandbox") == true)
    #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
    #expect(reply.headers["cache-control"] == "no-store")
    #expect(reply.headers["set-cookie"] == nil)
    #expect(reply.headers["access-control-allow-origin"] == nil)
    #expect(reply.headers["content-type"]?.contains("html") == false)
    #expect(!reply.text.contains(scene.dataset.string))
  }

  @Test("refuses an address that is too long")
  func refusesAddresses() async throws {
    let scene = try await ServerScene.start()
    let path = "/api/complete?text=" + String(repeating: "a", count: 100_000)
    #expect(try await scene.request("GET", path).status == 400)
    #expect(try await scene.request("GET", "/api/session").status == 200)
  }

  @Test("refuses a text to complete that is too long", arguments: [(4_096, 200), (4_097, 400)])
  func refusesTexts(count: Int, status: Int) async throws {
    let scene = try await ServerScene.start()
    let text = String(repeating: "a", count: count)
    let reply = try await scene.request("GET", "/api/complete?text=\(text)")
    #expect(reply.status == status, "\(reply.text)")
  }

  @Test("changes nothing while git knows no name and no email address")
  func requiresIdentity() async throws {
    let scene = try await ServerScene.start()
    let process = try await ServeProcess(
      scene.dataset, environment: ["EMAIL": "", "GIT_AUTHOR_EMAIL": "", "GIT_AUTHOR_NAME": ""])
    let before = try await scene.change { try $0.changeMark() }
    for reply in [
      try await process.client.label([scene.photos[0]], "oak"),
      try await process.client.request(
        "POST", "/api/pins", ["location": [1, 1], "name": "Harbor"]),
    ] {
      #expect(reply.status == 400, "\(reply.text)")
      #expect(reply.json["kind"]?.string == "no-identity")
      #expect(reply.json["hint"]?.string?.contains("cairn config set user.name") == true)
    }
    #expect(try await scene.change { try $0.changeMark() } == before)
  }

  // MARK: Other computers

  #if os(Linux)
    @Test("other computers can connect only if asked for", arguments: [false, true])
    func listens(isOnNetwork: Bool) async throws {
      let scene = try await ServerScene.start { options, _ in options.isOnNetwork = isOnNetwork }
      // As a network card, this is another address than 127.0.0.1.
      let connection = try? HTTPConnection(port: scene.port, address: 0x7F00_0002)
      #expect((connection != nil) == isOnNetwork)
      // A server that is stopped while it accepts a connection would crash in SwiftNIO.
      if let connection {
        connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
        #expect(try await !connection.receiveAll().isEmpty)
      }
    }
  #endif

  @Test(
    "closes the connections of another computer that has too many",
    .enabled(if: networkAddress != nil, "this computer has no address on a network"))
  func limitsConnectionsOfComputers() async throws {
    // From here, this computer is another one.
    let address = try #require(networkAddress)
    let scene = try await ServerScene.start { options, _ in options.isOnNetwork = true }
    let headers = scene.owner.headers.merging(["Connection": "keep-alive"]) { $1 }
    let request = scene.owner.head("GET", "/api/session", nil, headers)
    /// Opens a connection; nil if the server closes it without a response.
    func open() async throws -> HTTPConnection? {
      let connection = try HTTPConnection(port: scene.port, address: address)
      connection.send(request)
      let response = try? await connection.receive(until: "\r\n")
      return response?.contains(" 200 ") == true ? connection : nil
    }
    var connections: [HTTPConnection] = []
    for _ in 0..<32 {
      let connection = try await open()
      connections.append(try #require(connection))
    }
    let refused = try await open()
    #expect(refused == nil)
    #expect(try await scene.request("GET", "/api/session").status == 200)
    connections.removeLast().leave()
    // The server may notice a moment later that the connection has ended.
    var next = try await open()
    while next == nil { next = try await open() }
  }

  @Test("the cookie of a page over HTTPS is only sent over HTTPS")
  func securesCookie() {
    #expect(Security(port: 443, hostNames: [], isSecure: true).cookie("0").hasSuffix("; Secure"))
    #expect(!Security(port: 80, hostNames: []).cookie("0").contains("Secure"))
  }

  // MARK: Files

  @Test("follows no symbolic link in place of an image")
  func followsNoLinks() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let files = FileManager.default
      let file = try dataset.imageFile(of: photos[0]).string
      let other = dataset.root.removingLastComponent().appending("secret").string
      // The file that the link leads to has the size of the image.
      let size = try files.attributesOfItem(atPath: file)[.size] as? Int
      let secret = Data(repeating: UInt8(ascii: "s"), count: try #require(size))
      try secret.write(to: URL(filePath: other))
      let id = photos[0].description
      let blob = ".git/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
      try files.removeItem(atPath: dataset.root.pushing(FilePath(blob)).string)
      try files.removeItem(atPath: file)
      try files.createSymbolicLink(atPath: file, withDestinationPath: other)
    }
    let image = try await scene.request("GET", "/api/photos/\(scene.photos[0])/image")
    #expect(image.status == 404, "\(image.text)")
    #expect(image.json["kind"]?.string == "missing-image")
  }

  // MARK: Texts

  @Test("hostile names, captions and queries stay text")
  func hostileTexts() async throws {
    let text = #"<img src=x onerror="alert(1)">"#
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      _ = try dataset.editPhotos([photos[0]], title: text, caption: text)
      try dataset.label([photos[0]], [text])
    }
    let path = "/api/photos/\(scene.photos[0])"
    let reply = try await scene.request("GET", path)
    #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
    let shown = reply.json
    #expect(shown["title"]?.string == text && shown["caption"]?.string == text, "\(reply.text)")
    #expect(shown["classes"]?.array?.first?["name"]?.string == text)
    let added = try await scene.request(
      "POST", "/api/pins", ["location": [1, 1], "name": .string(text)])
    #expect(added.json["pin"]?["name"]?.string == text, "\(added.text)")
    let error = try await scene.request("POST", "/api/sets", ["query": .string(text + ":(")])
    #expect(error.status == 400)
    #expect(error.headers["content-type"] == "application/json; charset=utf-8")
    #expect(error.json["excerpt"]?["line"]?.string?.contains(text) == true, "\(error.text)")
  }

  @Test("refuses a query that is too long or nested too deep", arguments: [1_000, 20_000])
  func refusesQueries(count: Int) async throws {
    let scene = try await ServerScene.start()
    let parentheses = (String(repeating: "(", count: count), String(repeating: ")", count: count))
    let query = "\(parentheses.0)label:oak\(parentheses.1)"
    let reply = try await scene.request("POST", "/api/sets", ["query": .string(query)])
    #expect(reply.status == 400)
    #expect(reply.json["kind"]?.string == "invalid-input")
  }

  // MARK: Rates and numbers

  @Test("refuses requests that come too fast")
  func refusesRate() async throws {
    let scene = try await ServerScene.start()
    let session = try #require(scene.server.state.sessions.session(scene.links.key))
    // Uses up what the session may send, as other pages of it would, until the test ends.
    let isDone = Atomic(false)
    async let others: Void = onThread {
      while !isDone.load(ordering: .relaxed) { try? session.countRequest() }
    }
    defer { isDone.store(true, ordering: .relaxed) }
    var reply = try await scene.request("GET", "/api/session")
    for _ in 0..<1_000 where reply.status != 429 {
      reply = try await scene.request("GET", "/api/session")
    }
    isDone.store(true, ordering: .relaxed)
    try await others
    #expect(reply.status == 429)
    #expect(reply.headers["retry-after"] == "1")
  }

  @Test("limits how many requests for thumbnails a session makes at once")
  func limitsThumbnails() async throws {
    let scene = try await ServerScene.start()
    let session = try #require(scene.server.state.sessions.session(scene.links.key))
    let path = "/api/thumbnails?ids=\(scene.photos[0])"
    for _ in 0..<Session.Resource.thumbnails.limit { try session.take(.thumbnails) }
    let refused = try await scene.request("GET", path)
    #expect(refused.status == 429, "\(refused.text)")
    #expect(refused.headers["retry-after"] == "1")
    session.release(.thumbnails)
    #expect(try await scene.request("GET", path).status == 200)
  }

  @Test("accepts a limited number of connections, and the next one when one ends")
  func limitsConnections() async throws {
    let scene = try await ServerScene.start { options, _ in options.connectionLimit = 3 }
    let headers = scene.owner.headers.merging(["Connection": "keep-alive"]) { $1 }
    let request = scene.owner.head("GET", "/api/session", nil, headers)
    var open: [HTTPConnection] = []
    for _ in 0..<3 {
      let connection = try HTTPConnection(port: scene.port)
      connection.send(request)
      #expect(try await connection.receive(until: "\r\n").contains(" 200 "))
      open.append(connection)
    }
    let late = try scene.owner.begin("GET", "/api/session", scene.owner.headers)
    // Those that are open are served meanwhile.
    for _ in 0..<20 {
      open[0].send(request)
      #expect(try await open[0].receive(until: " 200 ").contains("HTTP/1.1"))
    }
    #expect(!late.canReceive)
    open.removeLast().leave()
    #expect(try await late.receive(until: "\r\n").contains(" 200 "))
  }

  @Test("refuses an operation when too many wait")
  func limitsQueues() async throws {
    let scene = try await ServerScene.start()
    let queue = try PersonQueue(
      ServeOptions(directory: scene.dataset, environment: .machine), limit: 1)
    let gate = DispatchSemaphore(value: 0)
    async let first: Void = queue.run(as: nil) { _ in gate.wait() }
    while queue.load == 0 { await Task.yield() }
    let error = await #expect(throws: ServeError.self) { try await queue.run(as: nil) { _ in } }
    #expect(error?.status == .serviceUnavailable && error?.retrySeconds == 1)
    gate.signal()
    try await first
    try await queue.run(as: nil) { _ in }
  }

  @Test("refuses a job when too many wait")
  func limitsJobs() throws {
    let board = JobBoard(EventHub(start: 0))
    let person = Person(annotator: nil, name: "", author: nil)
    func start() throws { _ = try board.start("sync", "Sync", person) { _ in .null } }
    for _ in 0..<100 { try start() }
    let error = #expect(throws: ServeError.self) { try start() }
    #expect(error?.status == .tooManyRequests)
  }
}

/// An IPv4 address of this computer on a network; nil if it has none.
private let networkAddress: UInt32? = {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return nil }
  defer { freeifaddrs(first) }
  var next = first
  while let interface = next {
    next = interface.pointee.ifa_next
    guard let address = interface.pointee.ifa_addr,
      Int32(address.pointee.sa_family) == AF_INET,
      interface.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
    else { continue }
    return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
    }
  }
  return nil
}()

extension Route {
  /// A path that the route matches.
  var example: String {
    "/" + pattern.map { $0.hasPrefix(":") ? "0" : $0 }.joined(separator: "/")
  }
}
