import Cairn
import CairnDocument
import CairnServer
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A server of a small dataset, in this process, at any free port.
final class ServerScene: Sendable {
  let directory: TemporaryDirectory
  let dataset: FilePath
  /// Sorted by id.
  let photos: [PhotoID]
  let server: PageServer
  let links: PageServer.Links
  private let task: Task<Void, any Error>

  var port: Int { links.port }
  /// The session of the user of this device, for programs.
  var owner: Client { Client(port: port, headers: ["Authorization": "Bearer \(links.key)"]) }

  private init(
    _ directory: TemporaryDirectory, _ dataset: FilePath, _ photos: [PhotoID],
    _ server: PageServer, _ links: PageServer.Links, _ task: Task<Void, any Error>
  ) {
    (self.directory, self.dataset, self.photos) = (directory, dataset, photos)
    (self.server, self.links, self.task) = (server, links, task)
  }

  deinit { task.cancel() }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - change: Changes the options; gets the directory of the test.
  ///   - prepare: Called with the dataset and its photos before the server opens it.
  static func start(
    photos count: Int = 4,
    _ change: @escaping @Sendable (inout ServeOptions, TemporaryDirectory) throws -> Void = {
      _, _ in
    },
    prepare: @escaping @Sendable (Dataset, [PhotoID]) throws -> Void = { _, _ in }
  ) async throws -> ServerScene {
    _ = TestIdentity.inUse
    let directory = TemporaryDirectory()
    let (root, photos) = try await onThread {
      let dataset = try Dataset.create(at: directory.path("a"))
      let files = try (0..<count).map {
        try directory.write(PNG.bytes(seed: $0 + 1, width: 12, height: 8), to: "in/\($0).png")
      }
      let photos = try dataset.addPhotos(files).compactMap(\.id).sorted()
      try prepare(dataset, photos)
      return (dataset.root, photos)
    }
    return try await start(directory, root, photos, change)
  }

  private static func start(
    _ directory: TemporaryDirectory, _ root: FilePath, _ photos: [PhotoID],
    _ change: @escaping @Sendable (inout ServeOptions, TemporaryDirectory) throws -> Void
  ) async throws -> ServerScene {
    let server = try await onThread {
      var options = ServeOptions(directory: root, environment: .machine)
      try change(&options, directory)
      return try PageServer(options)
    }
    let (ready, continuation) = AsyncStream.makeStream(of: PageServer.Links.self)
    let task = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    for await links in ready {
      return ServerScene(directory, root, photos, server, links, task)
    }
    try await task.value
    throw HTTPConnection.Failure()
  }

  /// Ends the server.
  func stop() async {
    task.cancel()
    _ = try? await task.value
  }

  /// Ends the server, and starts another one of the same dataset.
  func restart(
    _ change: @escaping @Sendable (inout ServeOptions, TemporaryDirectory) throws -> Void = {
      _, _ in
    }
  ) async throws -> ServerScene {
    await stop()
    return try await ServerScene.start(directory, dataset, photos, change)
  }

  // MARK: People

  /// Opens a link, as a browser does.
  func open(_ link: String) async throws -> Client {
    let reply = try await owner.send("GET", "/" + link.drop { $0 != "?" }, headers: [:])
    try #require(reply.status == 303, "\(reply.text)")
    return Client(
      port: port, headers: ["Cookie": reply.cookie, "Origin": "http://127.0.0.1:\(port)"])
  }

  // MARK: Common requests of the user of this device

  func request(
    _ method: String, _ path: String, _ body: JSON? = nil, headers: [String: String] = [:]
  ) async throws -> HTTPReply {
    try await owner.request(method, path, body, headers: headers)
  }

  func get(_ path: String) async throws -> JSON { try await owner.get(path) }

  func edit(_ members: JSONObject) async throws -> HTTPReply { try await owner.edit(members) }

  func label(_ number: Int, _ name: String) async throws -> HTTPReply {
    try await owner.label([photos[number]], name)
  }

  /// Returns the classes of a photo.
  func classes(of photo: PhotoID) async throws -> [String] {
    let row = try await get("/api/photos/\(photo)")["photo"]
    return row?["classes"]?.array?.compactMap { $0["class"]?.string } ?? []
  }

  /// Returns the name of a new result set.
  func set(_ body: JSON = [:]) async throws -> String {
    let reply = try await owner.request("POST", "/api/sets", body)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(reply.json["set"]?.string)
  }

  // MARK: Documents

  /// Returns what the documents say of a photo: `oak confirmed`.
  func states(_ number: Int) async throws -> [String] {
    try await onThread { [dataset, photos] in
      try Dataset(at: dataset).show(photos[number]).resolution.filter { $0.state != .open }
        .map { "\($0.classKey) \($0.state)" }
    }
  }

  /// Changes the dataset as another process would.
  func change<Value: Sendable>(
    as author: Author? = nil, _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    try await onThread { [dataset] in try body(Dataset(at: dataset, author: author)) }
  }
}
