import Cairn
import CairnDocument
import Testing

/// Somebody who uses a server: a browser, or a program.
struct Client: Sendable {
  let port: Int
  /// The headers of each request.
  let headers: [String: String]

  /// Sends a request as this client.
  func request(
    _ method: String, _ path: String, _ body: JSON? = nil, headers more: [String: String] = [:]
  ) async throws -> HTTPReply {
    var headers = headers.merging(more) { $1 }
    if body != nil { headers["Content-Type"] = "application/json" }
    return try await send(method, path, body.map { Array($0.line.utf8) }, headers: headers)
  }

  /// Sends exactly these headers, and those that end the connection.
  func send(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, headers: [String: String]
  ) async throws -> HTTPReply {
    let connection = try HTTPConnection(port: port)
    connection.send(head(method, path, body?.count, headers) + (body ?? []))
    return try #require(HTTPReply(try await connection.receiveAll()))
  }

  /// Opens a stream of events.
  func events(after id: Int? = nil) throws -> HTTPConnection {
    var headers = headers
    headers["Connection"] = "keep-alive"
    if let id { headers["Last-Event-ID"] = "\(id)" }
    return try begin("GET", "/api/events", headers)
  }

  /// Opens a stream of events that has begun.
  func openEvents(after id: Int? = nil) async throws -> HTTPConnection {
    let stream = try events(after: id)
    _ = try await stream.receive(until: ":\n\n")
    return stream
  }

  /// Sends the beginning of a request.
  func begin(
    _ method: String, _ path: String, _ headers: [String: String], length: Int? = nil
  ) throws -> HTTPConnection {
    let connection = try HTTPConnection(port: port)
    connection.send(head(method, path, length, headers))
    return connection
  }

  /// Returns the beginning of a request, up to its body.
  func head(
    _ method: String, _ path: String, _ length: Int?, _ headers: [String: String]
  ) -> [UInt8] {
    var headers = headers
    headers["Host"] = headers["Host"] ?? "127.0.0.1:\(port)"
    headers["Connection"] = headers["Connection"] ?? "close"
    if let length, headers["Content-Length"] == nil { headers["Content-Length"] = "\(length)" }
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
    return Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8)
  }

  // MARK: Common requests

  func get(_ path: String) async throws -> JSON { try await request("GET", path).json }

  func edit(_ members: JSONObject) async throws -> HTTPReply {
    try await request("POST", "/api/edits", .object(members))
  }

  /// Labels photos, with a new class if needed.
  func label(_ photos: [PhotoID], _ name: String) async throws -> HTTPReply {
    try await edit([
      "do": "label", "target": ["photos": .array(photos.map { .string($0.description) })],
      "classes": [.string(name)], "create": [.string(name)],
    ])
  }

  /// The id of the latest event.
  func lastEvent() async throws -> Int {
    try #require(try await get("/api/session")["event"]?.int)
  }

  /// Waits until the job of a reply has ended, and returns it.
  func finished(_ reply: HTTPReply) async throws -> JSON {
    try #require(reply.status == 202, "\(reply.text)")
    let name = try #require(reply.json["job"]?.string)
    // An event reports the end; the job may have ended before the stream begins.
    let stream = try await openEvents()
    while true {
      let job = try await get("/api/jobs/\(name)")
      if ["done", "failed", "cancelled"].contains(job["state"]?.string) { return job }
      _ = try await stream.receive(until: "event: job")
    }
  }
}
