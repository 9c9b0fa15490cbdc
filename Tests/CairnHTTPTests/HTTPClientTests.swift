import CairnHTTP
import Foundation
import SystemPackage
import Testing

@Suite("The HTTP client")
struct HTTPClientTests {
  private let server: TestServer
  private let client: HTTPClient

  init() throws {
    server = try TestServer()
    client = HTTPClient(HTTPSettings())
  }

  private func kind(_ body: () throws -> Void) -> HTTPError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? HTTPError)?.kind
    }
  }

  private func echo(_ request: HTTPRequest) throws -> [String: Any] {
    let body = try client.send(request).body
    return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  @Test("an answer has its status, its headers and its body")
  func get() throws {
    let answer = try client.send(HTTPRequest(.get, server.url("bytes/1000")))
    #expect(answer.status == 200)
    #expect(answer.headers["content-length"] == "1000")
    #expect(answer.body == sampleBytes(1000))
    let head = try client.send(HTTPRequest(.head, server.url("bytes/1000")))
    #expect(head.headers["Content-Length"] == "1000")
    #expect(head.body.isEmpty)
  }

  @Test("a body comes from memory, from a part of a file or in pieces")
  func bodies() throws {
    let scratch = try Scratch()
    let bytes = sampleBytes(300_000)
    let file = try scratch.write([1, 2, 3] + bytes + [9], to: "body")
    var pieces = [bytes[..<1], bytes[1..<200_000], [], bytes[200_000...]].map { Array($0) }[...]
    let bodies: [(HTTPRequest.Method, HTTPRequest.Body)] = [
      (.post, .bytes(bytes)), (.put, .file(file, offset: 3, length: bytes.count)),
      (.post, .pieces(length: nil) { pieces.popFirst() }), (.patch, .bytes(bytes)),
    ]
    let expected = try #require(
      try echo(HTTPRequest(.put, server.url("echo"), body: .bytes(bytes)))["sha256"] as? String)
    for (method, body) in bodies {
      let said = try echo(
        HTTPRequest(method, server.url("echo"), headers: ["X-One": "1"], body: body))
      #expect(said["method"] as? String == method.rawValue)
      #expect(said["size"] as? Int == bytes.count)
      #expect(said["sha256"] as? String == expected)
      #expect((said["headers"] as? [String: String])?["x-one"] == "1")
    }
    #expect(try echo(HTTPRequest(.delete, server.url("echo")))["method"] as? String == "DELETE")
    #expect(try echo(HTTPRequest(.post, server.url("echo")))["size"] as? Int == 0)
  }

  @Test("a file that is shorter than it was said to be is not sent as whole")
  func shortFile() throws {
    let file = try Scratch().write([1, 2, 3], to: "body")
    #expect(throws: (any Error).self) {
      try client.send(
        HTTPRequest(.put, server.url("echo"), body: .file(file, offset: 0, length: 10)))
    }
  }

  @Test("a success goes to the sink, a refusal is kept")
  func sink() throws {
    var came: [UInt8] = []
    let range = HTTPRequest(.get, server.url("bytes/5000"), headers: ["Range": "bytes=1000-"])
    let answer = try client.send(range) { head, piece in
      #expect(head.status == 206)
      came += piece
    }
    #expect(came == sampleBytes(5000)[1000...] + [])
    #expect(answer.body.isEmpty)
    let refusal = try client.send(HTTPRequest(.get, server.url("status/404"))) { _, _ in came = [] }
    #expect(refusal.body == Array("refused".utf8))
    #expect(!came.isEmpty)
  }

  @Test("what the sink throws ends the transfer")
  func sinkThrows() throws {
    struct Full: Error {}
    #expect(throws: Full.self) {
      try client.send(HTTPRequest(.get, server.url("bytes/5000"))) { _, _ in throw Full() }
    }
    #expect(try client.send(HTTPRequest(.get, server.url("bytes/1"))).body.count == 1)
  }

  @Test("a body can be read as it comes")
  func stream() throws {
    let stream = try client.open(HTTPRequest(.get, server.url("bytes/5000000")))
    #expect(try stream.response.status == 200)
    var (count, longest) = (0, 0)
    while let piece = try stream.read() {
      (count, longest) = (count + piece.count, max(longest, piece.count))
    }
    #expect(count == 5_000_000)
    #expect(longest <= 1 << 20)
    #expect(try stream.read() == nil)
    let short = try client.open(HTTPRequest(.get, server.url("cut/1000")))
    #expect(kind { while try short.read() != nil {} } == .cutOff)
    #expect(try client.open(HTTPRequest(.get, server.url("status/404"))).response.status == 404)
  }

  @Test("each failure has its kind")
  func failures() throws {
    func kind(_ path: String, limit: Int = 100) -> HTTPError.Kind? {
      self.kind { _ = try client.send(HTTPRequest(.get, server.url(path)), limit: limit) }
    }
    #expect(kind("cut/10") == .cutOff)
    #expect(kind("hangup") == .cutOff)
    #expect(kind("bytes/1000") == .tooLarge)
    #expect(kind("redirect?to=/redirect?to=x") == .cutOff)
    func kind(of url: String) -> HTTPError.Kind? {
      self.kind { _ = try client.send(HTTPRequest(.get, url)) }
    }
    #expect(kind(of: "http://127.0.0.1:1/") == .refused)
    #expect(kind(of: "http://nowhere.invalid/") == .unresolved)
    #expect(kind(of: "file:///etc/passwd") == .invalidAddress)
    #expect(kind(of: "ftp://127.0.0.1/x") == .invalidAddress)
    #expect(kind(of: server.url("bytes/1 HTTP/1.1\r\nX: y")) == .invalidAddress)
    let smuggled = HTTPRequest(.get, server.url("echo"), headers: ["X": "a\r\nY: b"])
    #expect(self.kind { _ = try client.send(smuggled) } == .invalidAddress)
  }

  @Test("a server that says nothing more is not waited for without end")
  func stalls() throws {
    var settings = HTTPSettings()
    settings.stallTimeoutSeconds = 1
    #expect(
      kind { _ = try HTTPClient(settings).send(HTTPRequest(.get, server.url("stall"))) }
        == .timedOut)
  }

  @Test("a refusal is an answer, of which the beginning is kept")
  func refusals() throws {
    let answer = try client.send(
      HTTPRequest(.get, server.url("status/503?after=7&times=1000")), limit: 100)
    #expect(answer.status == 503)
    #expect(answer.body.count <= 100)
    #expect(answer.failure(now: 0).kind == .status(503))
    #expect(answer.failure(now: 0).retryAfterMilliseconds == 7000)
  }

  @Test("redirects are followed as far as the settings say")
  func redirects() throws {
    let moved = server.url("redirect?to=/bytes/3")
    #expect(try client.send(HTTPRequest(.get, moved)).body == sampleBytes(3))
    var settings = HTTPSettings()
    settings.redirects = .none
    #expect(try HTTPClient(settings).send(HTTPRequest(.get, moved)).status == 302)
    settings.redirects = .follow(2)
    let away = server.url("redirect?to=" + server.url("redirect?to=" + server.url("redirect?to=/")))
    #expect(
      kind { _ = try HTTPClient(settings).send(HTTPRequest(.get, away)) } == .tooManyRedirects)
    let file = server.url("redirect?to=file:///etc/passwd")
    #expect(kind { _ = try client.send(HTTPRequest(.get, file)) } == .invalidAddress)
  }

  @Test("credentials go to the host they are for, and to no other")
  func credentials() throws {
    let ann = HTTPCredentials(user: "ann", password: "p:w secret")
    #expect(try client.send(HTTPRequest(.get, server.url("private"))).status == 401)
    #expect(
      try client.send(HTTPRequest(.get, server.url("private"), credentials: ann)).status == 200)
    let other = try TestServer()
    let away = HTTPRequest(
      .get, server.url("redirect?to=" + other.url("echo")), headers: ["Authorization": "Bearer x"])
    for request in [away, HTTPRequest(.get, away.url, credentials: ann)] {
      let said = try echo(request)
      #expect((said["headers"] as? [String: String])?["authorization"] == nil)
    }
  }

  @Test("nothing that describes a request or a failure holds a secret")
  func secrets() throws {
    let ann = HTTPCredentials(user: "ann", password: "p:w secret")
    let url = "http://ann:hidden@127.0.0.1:1/path?X-Amz-Signature=hidden"
    var request = HTTPRequest(.get, url, headers: ["Authorization": "Bearer hidden"])
    request.credentials = ann
    var said = "\(ann) \(request.headers) \(String(reflecting: ann)) \(request.credentials!)"
    dump(ann, to: &said)
    dump(request.headers, to: &said)
    do { _ = try client.send(request) } catch { said += "\(error) \(String(reflecting: error))" }
    #expect(said.contains("127.0.0.1:1"))
    #expect(!said.contains("secret"))
    #expect(!said.contains("hidden"))
  }

  @Test("a request ends soon after somebody asks for it")
  func cancel() throws {
    var settings = HTTPSettings()
    settings.isCancelled = { true }
    #expect(
      kind { _ = try HTTPClient(settings).send(HTTPRequest(.get, server.url("stall"))) }
        == .cancelled)
  }

  @Test("a server is trusted by the certificates one names, and by no others")
  func tls() throws {
    let scratch = try Scratch()
    let secure = try TestServer(certificate: scratch.certificate().string)
    let request = HTTPRequest(.get, secure.url("bytes/5", scheme: "https"))
    #expect(kind { _ = try client.send(request) } == .untrusted)
    let file = scratch.path.appending("certificate.pem")
    let settings = HTTPSettings { $0 == "SSL_CERT_FILE" ? file.string : nil }
    #expect(settings.trust == .file(file))
    #expect(try HTTPClient(settings).send(request).body == sampleBytes(5))
    let elsewhere = HTTPRequest(.get, "https://localhost:\(secure.port)/bytes/5")
    #expect(kind { _ = try HTTPClient(settings).send(elsewhere) } == .untrusted)
    // Down from https is nobody's wish.
    let down = HTTPRequest(
      .get, secure.url("redirect?to=" + server.url("bytes/1"), scheme: "https"))
    #expect(kind { _ = try HTTPClient(settings).send(down) } == .invalidAddress)
  }

  @Test("a connection serves many requests")
  func reuse() throws {
    for count in 1...50 {
      #expect(try client.send(HTTPRequest(.get, server.url("bytes/\(count)"))).body.count == count)
    }
  }
}
