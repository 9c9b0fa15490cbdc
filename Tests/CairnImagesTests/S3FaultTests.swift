import CairnDocument
import CairnHTTP
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnImages

@Suite("S3 requests and faults")
struct S3FaultTests {
  let here: Scratch
  let there: Scratch

  init() throws { (here, there) = (Scratch(), Scratch()) }

  func send(
    _ server: StrictS3, _ images: [Pointer], attempts: Int = 8,
    _ change: (inout S3Images) -> Void = { _ in }
  ) throws -> ImageReport {
    var remote = try server.remote()
    change(&remote)
    return try ImageTransfer(remote, here.store, .quick { $0.retries.attempts = attempts })
      .send(images)
  }

  func receive(_ server: StrictS3, _ images: [Pointer]) throws -> ImageReport {
    try ImageTransfer(server.remote(), there.store, .quick()).receive(images)
  }

  @Test("sends the hash and the length of each body, and a condition")
  func headers() throws {
    let server = try StrictS3()
    let images = try [0, 1, 300_000].map { try here.add(7, size: $0) }
    #expect(try send(server, images).transferred == 3)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    let puts = try server.log().filter { $0.method == "PUT" }
    #expect(puts.count == 3)
    for put in puts {
      #expect(put.headers["if-none-match"] == "*")
      #expect(put.headers["content-length"] == "\(put.length)")
      #expect(put.headers["x-amz-content-sha256"].map { put.path.hasSuffix($0) } == true)
      #expect(put.headers["expect"] == nil && put.headers["transfer-encoding"] == nil)
    }
    #expect(try receive(server, images).transferred == 3)
  }

  @Test("learns the region once, from any kind of error response", arguments: [301, 307, 400])
  func region(status: Int) throws {
    let server = try StrictS3(["wrongRegionStatus": status])
    let images = try (0..<10).map { try here.add($0) }
    let remote = try server.remote(region: "eu-west-1", environment: server.key.environment)
    #expect(
      try ImageTransfer(remote, here.store, .quick { $0.connections = 1 }).send(images).transferred
        == 10)
    let log = try server.log()
    #expect(log.filter { $0.headers["authorization"]!.contains("/eu-west-1/s3/") }.count == 1)
    #expect(try ImageTransfer(remote, there.store, .quick()).receive(images).transferred == 10)
  }

  @Test(
    "takes a refused condition for success only if the image is there", arguments: [false, true])
  func refusedCondition(inParts: Bool) throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 9_000)
    // A proxy that refuses conditions.
    let refusal: [String: any Sendable] = [
      "status": 412, "code": "PreconditionFailed", "message": "No.",
    ]
    try server.fail(inParts ? ["POST", "uploadId="] : ["PUT"], refusal)
    let sent = try send(server, [image]) {
      if inParts { ($0.multipartThreshold, $0.partSize) = (4_000, 5_000) }
    }
    #expect(sent.transferred == 1)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))

    // Busy when it is asked for the image.
    let other = try here.add(2, size: 9_000)
    try server.fail(inParts ? ["POST", "uploadId="] : ["PUT"], refusal)
    try server.fail(["HEAD"], ["status": 503, "code": "SlowDown"])
    var remote = try server.remote()
    if inParts { (remote.multipartThreshold, remote.partSize) = (4_000, 5_000) }
    let connection = try remote.connect()
    let error = #expect(throws: TransferError.self) {
      try connection.send(
        ImageObject(other), from: here.store.path(of: other.id), TransferAction()
      ) { _ in }
    }
    #expect(error?.isTransient == true, "\(String(describing: error))")

    // A server that refuses everything.
    try server.fail(["PUT"], refusal, times: 99)
    let report = try send(server, [other], attempts: 2)
    #expect(report.transferred == 0 && report.failure != nil)
    #expect(try server.bytes(of: other.id) == nil)
  }

  @Test(
    "sends an image without a condition if that was refused and the key may not see the image",
    arguments: [false, true])
  func unseenRefusal(inParts: Bool) throws {
    // Without permission to list, a missing image is reported as denied.
    let server = try StrictS3(["listingDenied": true])
    let upload = inParts ? ["POST", "uploadId="] : ["PUT"]
    let refusal: [String: any Sendable] = [
      "status": 412, "code": "PreconditionFailed", "message": "No.",
    ]
    let denial: [String: any Sendable] = ["status": 403, "code": "AccessDenied", "message": "No."]
    let parts = { (remote: inout S3Images) -> Void in
      if inParts { (remote.multipartThreshold, remote.partSize) = (4_000, 5_000) }
    }
    let images = try [1, 2].map { try here.add($0, size: 9_000) }
    try server.fail(upload, refusal)
    let sent = try send(server, images, parts)
    #expect(sent.transferred == 2 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    // The server supports conditions, so that the other image is sent with one.
    let unconditional = try server.log().filter {
      $0.method == upload[0] && $0.headers["if-none-match"] == nil
        && (!inParts || $0.query["uploadId"] != nil)
    }
    #expect(unconditional.count == 1)
    #expect(try server.uploads() == 0)

    // A bucket that allows only new objects, and a key that may only write.
    let other = try here.add(3, size: 9_000)
    try server.put(sampleBytes(4, size: 9_000), as: other.id)
    try server.fail(["HEAD"], denial, times: 99)
    try server.fail(["GET"], denial, times: 99)
    try server.fail(upload, refusal)
    try server.fail(upload, denial, times: 99)
    let report = try send(server, [other], parts)
    #expect(report.transferred == 0 && report.end?.cause.kind == .forbidden, "\(report)")
    #expect(try server.bytes(of: other.id) == sampleBytes(4, size: 9_000))
  }

  @Test("waits for a busy server as long as it asks")
  func slowDown() throws {
    let server = try StrictS3()
    let image = try here.add(1)
    let busy: [String: any Sendable] = [
      "status": 503, "code": "SlowDown", "message": "Please reduce your request rate.",
      "headers": ["Retry-After": "1"],
    ]
    try server.fail(["PUT"], busy)
    let sent = try send(server, [image])
    #expect(sent.transferred == 1)
    #expect(try server.log().map(\.method) == ["HEAD", "GET", "PUT", "HEAD", "PUT"])

    let connection = try server.remote().connect()
    try server.fail(["GET"], busy)
    let partial = try there.store.partial(image)
    let error = try #require(
      #expect(throws: TransferError.self) {
        try connection.receive(ImageObject(image), into: partial, TransferAction())
      })
    #expect(error.isTransient && error.retryAfterMilliseconds == 1000 && error.scope == .image)
    #expect("\(error)".contains("SlowDown: Please reduce your request rate"))
  }

  @Test(
    "retries temporary failures",
    arguments: [
      ["status": 500, "code": "InternalError"], ["status": 500, "code": ""],
      ["status": 400, "code": "RequestTimeout"], ["drop": true], ["flip": true],
      ["status": 409, "code": "ConditionalRequestConflict"], ["status": 503, "code": "Busy"],
    ] as [[String: any Sendable]])
  func transient(fault: [String: any Sendable]) throws {
    let server = try StrictS3()
    let images = try (0..<4).map { try here.add($0, size: 100_000) }
    try server.fail(["PUT"], fault, times: 3)
    let sent = try send(server, images)
    #expect(sent.transferred == 4 && sent.failure == nil)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    if fault["flip"] != nil { return }
    try server.fail(["GET"], fault, times: 3)
    #expect(try receive(server, images).transferred == 4)
  }

  @Test("requests only the missing bytes after a download was cut off")
  func resumes() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 500_000)
    #expect(try send(server, [image]).transferred == 1)
    _ = try server.log()
    try server.fail(["GET"], ["cut": 300_000])
    try server.fail(["GET"], ["cut": 100_000])
    #expect(try receive(server, [image]).transferred == 1)
    let ranges = try server.log().filter { $0.method == "GET" }.map { $0.headers["range"] }
    #expect(ranges == [nil, "bytes=300000-", "bytes=400000-"])
    #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
  }

  @Test(
    "rejects a range that it did not request",
    arguments: [["ignoreRange": true], ["shift": 1], ["status": 416, "code": "InvalidRange"]]
      as [[String: any Sendable]])
  func ranges(fault: [String: any Sendable]) throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 50_000)
    #expect(try send(server, [image]).transferred == 1)
    let partial = try there.store.partial(image)
    try sampleBytes(1, size: 20_000).withUnsafeBytes { try partial.append($0) }
    try server.fail(["GET"], fault)
    let connection = try server.remote().connect()
    if fault["shift"] == nil {
      try connection.receive(ImageObject(image), into: partial, TransferAction())
      try partial.finish()
      #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
    } else {
      let error = #expect(throws: TransferError.self) {
        try connection.receive(ImageObject(image), into: partial, TransferAction())
      }
      #expect(try #require(error).isTransient && partial.count == 0)
    }
  }

  @Test("overwrites an image of another size, but not one that was uploaded meanwhile")
  func conditions() throws {
    let server = try StrictS3()
    let image = try here.add(1)
    try server.put(sampleBytes(2, size: 10), as: image.id)
    #expect(try send(server, [image]).transferred == 1)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(try server.log().last?.headers["if-none-match"] == nil)

    // Another client uploads it between the query and the upload.
    let connection = try server.remote().connect()
    try connection.send(ImageObject(image), from: here.store.path(of: image.id), TransferAction()) {
      _ in
    }
    // It is refused, and asked whether the image is there.
    let log = try server.log().suffix(2)
    #expect(log.map(\.method) == ["PUT", "HEAD"])
    #expect(log.first?.headers["if-none-match"] == "*")
  }

  @Test(
    "works with servers that reject checksums, such as Backblaze B2 and Cloudflare R2",
    arguments: ["rejected", "rejected in parts"])
  func noChecksums(mode: String) throws {
    let server = try StrictS3(["checksums": mode, "conditions": mode != "rejected"])
    let images = try [here.add(1), here.add(2, size: 500_000), here.add(3)]
    var remote = try server.remote()
    (remote.multipartThreshold, remote.partSize) = (100_000, 200_000)
    let sent = try ImageTransfer(remote, here.store, .quick { $0.connections = 1 }).send(images)
    #expect(sent.transferred == 3 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    // It is learned once.
    let rejected = try server.log().filter {
      mode == "rejected"
        ? $0.method == "HEAD" && $0.headers["x-amz-checksum-mode"] != nil
        : $0.query["partNumber"] != nil && $0.headers["x-amz-checksum-sha256"] != nil
    }
    #expect(rejected.count == 1)
    #expect(try receive(server, images).transferred == 3)
    let verified = try ImageTransfer(server.remote(), there.store, .quick()).verify(images)
    #expect(verified.failure == nil && verified.missing.isEmpty, "\(verified)")
  }

  @Test("keeps sending checksums when a server rejects a request for another reason")
  func otherRejection() throws {
    let server = try StrictS3()
    let images = try [here.add(1), here.add(2)]
    try server.fail(["HEAD"], ["status": 400, "code": ""], times: 2)
    let sent = try ImageTransfer(server.remote(), here.store, .quick { $0.connections = 1 })
      .send(images)
    #expect(sent.transferred == 2, "\(sent)")
    let puts = try server.log().filter { $0.method == "PUT" }
    #expect(puts.allSatisfy { $0.headers["x-amz-checksum-sha256"] != nil })
  }

  @Test("stops sending conditions when the server does not support them")
  func noConditions() throws {
    let server = try StrictS3(["conditions": false])
    let images = try (0..<3).map { try here.add($0) } + [try here.add(9, size: 300_000)]
    let report = Mutex(0)
    var remote = try server.remote()
    (remote.multipartThreshold, remote.partSize) = (100_000, 100_000)
    let sent = try ImageTransfer(
      remote, here.store,
      .quick {
        $0.connections = 1
        $0.progress = { progress in report.withLock { $0 = progress.bytes } }
      }
    ).send(images)
    #expect(sent.transferred == 4 && sent.failure == nil)
    #expect(report.withLock { $0 } == sent.bytes)
    #expect(try server.log().filter { $0.headers["if-none-match"] != nil }.count == 1)
  }

}
