import CairnImages
import CairnStore
import Foundation
import Testing

@Suite("The list of a bucket's images")
struct S3ListTests {
  private let here = Scratch()

  private func send(_ server: StrictS3, _ images: [Pointer]) throws -> ImageReport {
    try ImageTransfer(server.remote(), here.store, .quick { $0.connections = 1 }).send(images)
  }

  @Test("sends a new image with one request once the list is known")
  func known() throws {
    let server = try StrictS3()
    let images = try (0..<60).map { try here.add($0) }
    for image in images[20..<40] {
      try server.put(#require(here.bytes(of: image.id)), as: image.id)
    }
    let sent = try send(server, images)
    #expect(sent.transferred == 40 && sent.known.count == 20 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    let log = try server.log()
    #expect(log.count { $0.query["list-type"] != nil } == 1)
    #expect(log.count { $0.method == "PUT" } == 40)
    // The first ones, and those that the list has.
    #expect(log.count { $0.method == "HEAD" } == 8 + 20)
  }

  @Test("reads a long list page by page while it sends")
  func pages() throws {
    let server = try StrictS3(["page": 5])
    let images = try (0..<60).map { try here.add($0) }
    for image in images[..<30] {
      try server.put(#require(here.bytes(of: image.id)), as: image.id)
    }
    let sent = try send(server, images)
    #expect(sent.transferred == 30 && sent.known.count == 30 && sent.failure == nil, "\(sent)")
    let log = try server.log()
    #expect(log.count { $0.method == "PUT" } == 30)
    let tokens = log.filter { $0.query["list-type"] != nil }.map { $0.query["continuation-token"] }
    #expect((2...7).contains(tokens.count) && tokens.first == .some(nil), "\(tokens)")
    #expect(Set(tokens).count == tokens.count)
  }

  @Test("sends an image that the list lacks and the bucket has only if it is another one")
  func outdated() throws {
    let server = try StrictS3()
    let images = try (0..<12).map { try here.add($0) }
    // The list has been read before these appear.
    let connection = try server.remote().connect()
    let objects = images.map { ImageObject($0) }
    for object in objects[..<10] { _ = try connection.query(.upload, about: [object]) }
    try server.put(#require(here.bytes(of: images[10].id)), as: images[10].id)
    try server.put(sampleBytes(99, size: 10), as: images[11].id)
    _ = try server.log()
    for (image, object) in zip(images, objects).dropFirst(10) {
      guard case .missing(let action)? = try connection.query(.upload, about: [object]).first
      else {
        Issue.record("asked for an image that the list lacks")
        continue
      }
      try connection.send(object, from: here.store.path(of: image.id), action) { _ in }
      #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    }
    #expect(try server.log().map(\.method) == ["PUT", "HEAD", "PUT", "HEAD", "PUT"])
  }

  @Test("asks for each image if the key may not list, or the server cannot", arguments: [403, 501])
  func denied(status: Int) throws {
    let server = try StrictS3()
    let images = try (0..<30).map { try here.add($0) }
    let refusal: [String: any Sendable] = ["status": status, "code": "AccessDenied"]
    try server.fail(["list-type"], refusal, times: 99)
    let sent = try send(server, images)
    #expect(sent.transferred == 30 && sent.failure == nil, "\(sent)")
    let log = try server.log()
    #expect(log.count { $0.query["list-type"] != nil } == 1)
    #expect(log.count { $0.method == "HEAD" } == 30)
  }
}
