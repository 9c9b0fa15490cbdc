import CairnHTTP
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("HTTP client")
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

  @Test("returns the status, the headers and the body of a response")
  func get() throws {
    let answer = try client.send(HTTPRequest(.get, server.url("bytes/1000")))
    #expect(answer.status == 200)
    #expect(answer.headers["content-length"] == "1000")
    #expect(answer.body == sampleBytes(1000))
    let head = try client.send(HTTPRequest(.head, server.url("bytes/1000")))
    #expect(head.headers["Content-Length"] == "1000")
    #expect(head.body.isEmpty)
  }

  @Test("reads the fields of the last response, without the space around their values")
  func headers() throws {
    let answer = try client.send(HTTPRequest(.get, server.url("headers")))
    #expect(answer.status == 207)
    let names = ["X-Empty", "X-Spaces", "X-Text", "Content-Length"]
    #expect(answer.headers.fields.map { $0.name } == names)
    #expect(answer.headers.fields.map { $0.value } == ["", "a: b", "é…", "0"])
  }

  @Test("sends a body from memory, from a range of a file or in pieces")
  func bodies() throws {
    let scratch = TemporaryDirectory()
    let bytes = sampleBytes(300_000)
    let file = try scratch.write([1, 2, 3] + bytes + [9], to: "body")
    var (rest, sizes) = (bytes[...], [1, 200_000][...])
    let pieces = { (buffer: UnsafeMutableRawBufferPointer) -> Int in
      let piece = rest.prefix(min(sizes.popFirst() ?? bytes.count, buffer.count))
      rest = rest.dropFirst(piece.count)
      buffer.copyBytes(from: piece)
      return piece.count
    }
    let bodies: [(HTTPRequest.Method, HTTPRequest.Body)] = [
      (.post, .bytes(bytes)), (.put, .file(file, offset: 3, length: bytes.count)),
      (.post, .pieces(length: nil, pieces)), (.patch, .bytes(bytes)),
    ]
    let expected = try #require(
      try echo(HTTPRequest(.put, server.url("echo"), body: .bytes(bytes)))["sha256"] as? String)
    for (method, body) in bodies {
      let echoed = try echo(
        HTTPRequest(method, server.url("echo"), headers: ["X-One": "1"], body: body))
      #expect(echoed["method"] as? String == method.rawValue)
      #expect(echoed["size"] as? Int == bytes.count)
      #expect(echoed["sha256"] as? String == expected)
      #expect((echoed["headers"] as? [String: String])?["x-one"] == "1")
    }
    #expect(try echo(HTTPRequest(.delete, server.url("echo")))["method"] as? String == "DELETE")
    #expect(try echo(HTTPRequest(.post, server.url("echo")))["size"] as? Int == 0)
  }

  @Test("reads each byte of a body in pieces once, in few pieces of at most 256 KiB")
  func pieces() throws {
    let bytes = sampleBytes(1 << 20)
    var (position, sizes) = (0, [Int]())
    let request = HTTPRequest(
      .put, server.url("echo"),
      body: .pieces(length: bytes.count) { buffer in
        let piece = bytes[position...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        position += piece.count
        sizes.append(piece.count)
        return piece.count
      })
    #expect(try echo(request)["size"] as? Int == bytes.count)
    #expect(sizes.reduce(0, +) == bytes.count)
    // An upload of curl has a buffer of that size.
    #expect(sizes.allSatisfy { $0 <= 256 << 10 } && sizes.count <= 8, "\(sizes)")
  }

  @Test("fails when a file is shorter than the declared length")
  func shortFile() throws {
    let scratch = TemporaryDirectory()
    let file = try scratch.write([1, 2, 3], to: "body")
    defer { withExtendedLifetime(scratch) {} }
    #expect(throws: Errno.ioError) {
      try client.send(
        HTTPRequest(.put, server.url("echo"), body: .file(file, offset: 0, length: 10)))
    }
  }

  @Test("passes the body of a success to the sink and returns that of an error")
  func sink() throws {
    var received: [UInt8] = []
    let range = HTTPRequest(.get, server.url("bytes/5000"), headers: ["Range": "bytes=1000-"])
    let answer = try client.send(range) { head, piece in
      #expect(head.status == 206)
      received += piece
    }
    #expect(received == sampleBytes(5000)[1000...] + [])
    #expect(answer.body.isEmpty)
    let refusal = try client.send(HTTPRequest(.get, server.url("status/404"))) { _, _ in
      received = []
    }
    #expect(refusal.body == Array("refused".utf8))
    #expect(!received.isEmpty)
  }

  @Test("ends the transfer when the sink throws")
  func sinkThrows() throws {
    struct Full: Error {}
    #expect(throws: Full.self) {
      try client.send(HTTPRequest(.get, server.url("bytes/5000"))) { _, _ in throw Full() }
    }
    #expect(try client.send(HTTPRequest(.get, server.url("bytes/1"))).body.count == 1)
  }

  @Test("streams the body of a response")
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

  @Test("reports the kind of each failure")
  func failures() throws {
    func kind(_ path: String, limit: Int = 100) -> HTTPError.Kind? {
      self.kind { _ = try client.send(HTTPRequest(.get, server.url(path)), limit: limit) }
    }
    #expect(kind("cut/10") == .cutOff)
    #expect(kind("hangup") == .cutOff)
    #expect(kind("garbage") == .invalidResponse)
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

  @Test("times out when the server stalls")
  func stalls() throws {
    var settings = HTTPSettings()
    settings.stallTimeoutSeconds = 1
    #expect(
      kind { _ = try HTTPClient(settings).send(HTTPRequest(.get, server.url("stall"))) }
        == .timedOut)
  }

  @Test("returns an error response with the beginning of its body")
  func refusals() throws {
    let answer = try client.send(
      HTTPRequest(.get, server.url("status/503?after=7&times=1000")), limit: 100)
    #expect(answer.status == 503)
    #expect(answer.body.count <= 100)
    #expect(answer.failure(now: 0).kind == .status(503))
    #expect(answer.failure(now: 0).retryAfterMilliseconds == 7000)
  }

  @Test("does not wait for the end of an endless error response", arguments: [401, 500])
  func endless(status: Int) throws {
    let answer = try client.send(HTTPRequest(.get, server.url("endless/\(status)")))
    #expect(answer.status == status && answer.body.count <= HTTPClient.bodyLimit)
    #expect(try client.send(HTTPRequest(.get, server.url("bytes/5"))).body == sampleBytes(5))
  }

  @Test("follows redirects as the settings allow")
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

  @Test("sends credentials only to the host they are for")
  func credentials() throws {
    let ann = HTTPCredentials(user: "ann", password: "p:w secret")
    #expect(try client.send(HTTPRequest(.get, server.url("private"))).status == 401)
    #expect(
      try client.send(HTTPRequest(.get, server.url("private"), credentials: ann)).status == 200)
    let other = try TestServer()
    let away = HTTPRequest(
      .get, server.url("redirect?to=" + other.url("echo")), headers: ["Authorization": "Bearer x"])
    for request in [away, HTTPRequest(.get, away.url, credentials: ann)] {
      let echoed = try echo(request)
      #expect((echoed["headers"] as? [String: String])?["authorization"] == nil)
    }
  }

  @Test("shows no secret in descriptions of requests and failures")
  func secrets() throws {
    let ann = HTTPCredentials(user: "ann", password: "p:w secret")
    let url = "http://ann:hidden@127.0.0.1:1/path?X-Amz-Signature=hidden"
    var request = HTTPRequest(.get, url, headers: ["Authorization": "Bearer hidden"])
    request.credentials = ann
    var text = "\(ann) \(request.headers) \(String(reflecting: ann)) \(request.credentials!)"
    dump(ann, to: &text)
    dump(request.headers, to: &text)
    do { _ = try client.send(request) } catch { text += "\(error) \(String(reflecting: error))" }
    #expect(text.contains("127.0.0.1:1"))
    #expect(!text.contains("secret"))
    #expect(!text.contains("hidden"))
  }

  @Test("ends a request when it is canceled")
  func cancel() throws {
    var settings = HTTPSettings()
    settings.isCancelled = { true }
    #expect(
      kind { _ = try HTTPClient(settings).send(HTTPRequest(.get, server.url("stall"))) }
        == .cancelled)
  }

  @Test("trusts only the configured certificates and rejects redirects to plain HTTP")
  func tls() throws {
    let scratch = TemporaryDirectory()
    let secure = try TestServer(certificate: scratch.certificate().string)
    let request = HTTPRequest(.get, secure.url("bytes/5", scheme: "https"))
    #expect(kind { _ = try client.send(request) } == .untrusted)
    let file = scratch.path("certificate.pem")
    let settings = HTTPSettings { $0 == "SSL_CERT_FILE" ? file.string : nil }
    #expect(settings.trust == .file(file))
    #expect(try HTTPClient(settings).send(request).body == sampleBytes(5))
    let elsewhere = HTTPRequest(.get, "https://localhost:\(secure.port)/bytes/5")
    #expect(kind { _ = try HTTPClient(settings).send(elsewhere) } == .untrusted)
    // A redirect from https to http is never wanted.
    let down = HTTPRequest(
      .get, secure.url("redirect?to=" + server.url("bytes/1"), scheme: "https"))
    #expect(kind { _ = try HTTPClient(settings).send(down) } == .invalidAddress)
  }

  @Test(
    "reports a TLS handshake that the network ended as a connection that was cut off",
    arguments: [
      .cut(.down, after: 0), .cut(.down, after: 40), .truncate(.down, after: 0),
      .truncate(.down, after: 40),
    ] as [FaultPlan.Fault])
  func cutHandshake(fault: FaultPlan.Fault) throws {
    let scratch = TemporaryDirectory()
    let secure = try TestServer(certificate: scratch.certificate().string)
    let proxy = try FaultProxy(to: UInt16(secure.port), .connections([[fault]]))
    let request = HTTPRequest(.get, "https://127.0.0.1:\(proxy.port)/bytes/5")
    let error = #expect(throws: HTTPError.self) { _ = try client.send(request) }
    #expect(error?.kind == .cutOff && error?.stage == .connecting, "\(String(describing: error))")
    // One that completes is judged as before; so is a server without TLS.
    #expect(kind { _ = try client.send(request) } == .untrusted)
    let plain = HTTPRequest(.get, server.url("bytes/5", scheme: "https"))
    #expect(kind { _ = try client.send(plain) } == .untrusted)
  }

  @Test("sends many requests with one client")
  func reuse() throws {
    for count in 1...50 {
      #expect(try client.send(HTTPRequest(.get, server.url("bytes/\(count)"))).body.count == count)
    }
  }
}
