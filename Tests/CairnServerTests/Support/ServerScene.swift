import Cairn
import CairnDocument
import CairnServer
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A server of a small dataset, in this process, at any free port.
final class ServerScene: @unchecked Sendable {
  let directory: TemporaryDirectory
  let dataset: FilePath
  /// Sorted by id.
  let photos: [PhotoID]
  private(set) var port = 0
  private(set) var key = ""
  private(set) var links: PageServer.Links
  private let task: Task<Void, any Error>

  private init(
    _ directory: TemporaryDirectory, _ dataset: FilePath, _ photos: [PhotoID],
    _ links: PageServer.Links, _ task: Task<Void, any Error>
  ) {
    (self.directory, self.dataset, self.photos) = (directory, dataset, photos)
    (self.links, self.task) = (links, task)
    (port, key) = (links.port, links.key)
  }

  deinit { task.cancel() }

  /// Starts a server.
  ///
  /// - Parameter prepare: Called with the dataset and its photos before the server opens it.
  static func start(
    photos count: Int = 4, _ change: (inout ServeOptions) -> Void = { _ in },
    prepare: (Dataset, [PhotoID]) throws -> Void = { _, _ in }
  ) async throws -> ServerScene {
    _ = TestIdentity.inUse
    let directory = TemporaryDirectory()
    let dataset = try Dataset.create(at: directory.path("a"))
    let files = try (0..<count).map {
      try directory.write(PNG.bytes(seed: $0 + 1, width: 12, height: 8), to: "in/\($0).png")
    }
    let photos = try dataset.addPhotos(files).compactMap(\.id).sorted()
    try prepare(dataset, photos)
    return try await start(directory, dataset.root, photos, change)
  }

  private static func start(
    _ directory: TemporaryDirectory, _ root: FilePath, _ photos: [PhotoID],
    _ change: (inout ServeOptions) -> Void = { _ in }
  ) async throws -> ServerScene {
    var options = ServeOptions(directory: root, environment: .machine)
    change(&options)
    let server = try PageServer(options)
    let (ready, continuation) = AsyncStream.makeStream(of: PageServer.Links.self)
    let task = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    var iterator = ready.makeAsyncIterator()
    guard let links = await iterator.next() else {
      try await task.value
      throw HTTPConnection.Failure()
    }
    return ServerScene(directory, root, photos, links, task)
  }

  /// Ends the server, and starts another one of the same dataset.
  func restart() async throws -> ServerScene {
    task.cancel()
    _ = try? await task.value
    return try await ServerScene.start(directory, dataset, photos)
  }

  // MARK: Requests

  /// Sends a request with the key of the user's session.
  func request(
    _ method: String, _ path: String, _ body: JSON? = nil, headers: [String: String] = [:]
  ) async throws -> HTTPReply {
    var headers = headers
    if headers["Authorization"] == nil, headers["Cookie"] == nil {
      headers["Authorization"] = "Bearer \(key)"
    }
    if body != nil { headers["Content-Type"] = "application/json" }
    return try await send(method, path, body.map { Array($0.line.utf8) }, headers)
  }

  /// Sends exactly these headers, and those that end the connection.
  func send(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, _ headers: [String: String]
  ) async throws -> HTTPReply {
    let connection = try HTTPConnection(port: port)
    try connection.send(head(method, path, body?.count, headers) + (body ?? []))
    return try #require(HTTPReply(try await connection.receiveAll()))
  }

  /// Opens a stream of events.
  func events(after id: Int? = nil, _ more: [String: String] = [:]) throws -> HTTPConnection {
    var headers = more
    headers["Authorization"] = "Bearer \(key)"
    headers["Connection"] = "keep-alive"
    if let id { headers["Last-Event-ID"] = "\(id)" }
    let connection = try HTTPConnection(port: port)
    try connection.send(head("GET", "/api/events", nil, headers))
    return connection
  }

  private func head(
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

  func label(_ number: Int, _ name: String) async throws -> HTTPReply {
    try await edit([
      "do": "label", "target": ["photos": [.string(photos[number].description)]],
      "classes": [.string(name)], "create": [.string(name)],
    ])
  }

  /// Returns what the documents say of a photo: `oak confirmed`.
  func states(_ number: Int) throws -> [String] {
    try Dataset(at: dataset).show(photos[number]).resolution.filter { $0.state != .open }
      .map { "\($0.classKey) \($0.state)" }
  }
}

extension ServerScene {
  func send(_ method: String, _ path: String, _ headers: [String: String]) async throws
    -> HTTPReply
  {
    try await send(method, path, nil, headers)
  }
}
