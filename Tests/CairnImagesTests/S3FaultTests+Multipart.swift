import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnImages

// Uploads in parts.

extension S3FaultTests {
  @Test("uploads parts of one size and resends those that fail")
  func brokenPart() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=3"], ["flip": true])
    try server.fail(["PUT", "partNumber=2"], ["drop": true])
    try server.fail(["POST", "uploadId"], ["late": true])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1 && sent.failure == nil)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(try server.uploads() == 0)
    let parts = try server.log().filter { $0.query["partNumber"] == "1" || $0.length == 100_000 }
    // The attempt after the failed completion sends no part again.
    #expect(parts.map(\.length) == [300_000, 100_000])
  }

  @Test("continues an upload that a killed process left unfinished, and removes old ones")
  func continues() throws {
    let server = try StrictS3()
    let images = try [1, 2].map { try here.add($0, size: 1_000_000) }
    let parts = { (remote: inout S3Images) in
      (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    }
    try server.orphan(images[1].id)
    try server.fail(
      ["PUT", "partNumber=3"], ["status": 500, "code": "InternalError"], times: 3)
    #expect(try send(server, [images[0]], attempts: 1, parts).transferred == 0)
    #expect(try server.uploads() == 1)
    _ = try server.log()
    // Another process, which knows nothing of the first one.
    #expect(try send(server, images, attempts: 1, parts).transferred == 2)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    let sent = try server.log().filter { $0.method == "PUT" }
    #expect(sent.filter { $0.path.hasSuffix("\(images[0].id)") }.count == 2)
    #expect(try server.uploads() == 0)
  }

  @Test("continues an upload although the list of its parts fails for a moment")
  func listOfPartsFails() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=3"], ["status": 500, "code": "InternalError"], times: 3)
    try server.fail(["GET", "uploadId"], ["status": 503, "code": "SlowDown"])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    let requests = try server.log()
    #expect(requests.filter { $0.method == "POST" && $0.query["uploads"] != nil }.count == 1)
    #expect(requests.filter { $0.query["partNumber"] == "1" }.count == 1)
    #expect(try server.uploads() == 0)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
  }

  @Test("ends an upload whose parts the key may not list before it begins another")
  func listOfPartsDenied() throws {
    let server = try StrictS3(["listingDenied": true])
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=3"], ["status": 500, "code": "InternalError"], times: 3)
    try server.fail(["GET", "uploadId"], ["status": 403, "code": "AccessDenied"])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try server.log().filter { $0.method == "DELETE" }.count == 1)
    #expect(try server.uploads() == 0)
  }

  @Test("leaves the parts of an upload that another process began when it cannot continue it")
  func othersUpload() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    let parts = { (remote: inout S3Images) in
      (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    }
    let busy: [String: any Sendable] = ["status": 500, "code": "InternalError"]
    try server.fail(["PUT", "partNumber=3"], busy, times: 3)
    #expect(try send(server, [image], attempts: 1, parts).transferred == 0)
    try server.fail(["PUT", "partNumber=3"], ["status": 403, "code": "AccessDenied"])
    #expect(try send(server, [image], attempts: 1, parts).end?.cause.kind == .forbidden)
    #expect(try server.uploads() == 1)

    // The bytes of an encrypted image differ each time.
    var remote = try server.remote()
    parts(&remote)
    let other = try here.add(2, size: 1_000_000)
    try server.orphan(other.id)
    try remote.connect().send(
      ImageObject(id: image.id, size: image.size, hash: other.id),
      from: here.store.path(of: other.id), TransferAction()
    ) { _ in }
    // An upload that was abandoned a week ago is removed all the same.
    #expect(try server.uploads() == 1)
    #expect(try server.bytes(of: image.id) == here.bytes(of: other.id))
  }

  @Test("reports each small piece of a part, and none of the parts that are there")
  func pieces() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 2_000_000)
    var remote = try server.remote()
    (remote.multipartThreshold, remote.partSize) = (1000, 1_000_000)
    try server.fail(["POST", "uploadId"], ["late": true])
    let longest = Mutex((last: 0, step: 0))
    let options = ImageTransfer.Options.quick(attempts: 1) {
      $0.progress = { progress in
        longest.withLock { $0 = (progress.bytes, max($0.step, progress.bytes - $0.last)) }
      }
    }
    #expect(try ImageTransfer(remote, here.store, options).send([image]).transferred == 0)
    #expect(longest.withLock { $0.step } <= 1 << 18)
    // What is there takes no time, whatever the rate.
    let clock = ContinuousClock()
    let slow = ImageTransfer.Options.quick { $0.bytesPerSecond = 50_000 }
    var transferred = 0
    let time = try clock.measure {
      transferred = try ImageTransfer(remote, here.store, slow).send([image]).transferred
    }
    #expect(transferred == 1)
    #expect(time < .seconds(15), "\(time)")
  }

  @Test("uploads in parts without listing them where that is denied")
  func listingDenied() throws {
    let server = try StrictS3(["listingDenied": true])
    let image = try here.add(1, size: 500_000)
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1, "\(sent)")
  }

  @Test("completes an upload on a server that knows no checksums of parts, such as Swift")
  func withoutPartChecksums() throws {
    let server = try StrictS3(["partChecksums": false])
    let images = try [1, 2].map { try here.add($0, size: 500_000) }
    let sent = try send(server, images) {
      ($0.multipartThreshold, $0.partSize) = (1000, 300_000)
    }
    #expect(sent.transferred == 2 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
  }

  @Test("removes the parts of a failed upload and leaves no object")
  func abandonedParts() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=2"], ["status": 403, "code": "AccessDenied"])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.end?.cause.kind == .forbidden)
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)

    _ = try server.log()
    // The last byte is wrong, so that the first parts are uploaded before that is noticed.
    let blob = here.store.path(of: image.id).string
    var bytes = sampleBytes(1, size: 1_000_000)
    bytes[999_999] ^= 1
    try FileManager.default.removeItem(atPath: blob)
    try Data(bytes).write(to: URL(filePath: blob))
    #expect(throws: StoreError.self) {
      try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    }
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)
    #expect(try server.log().contains { $0.query["partNumber"] == "2" })
  }

  @Test("fails when completing an upload fails, but not when the object already exists")
  func ends() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 500_000)
    try server.fail(["POST", "uploadId"], ["late": true], times: 2)
    let parts = { (remote: inout S3Images) in
      (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    }
    let failed = try send(server, [image], attempts: 2, parts)
    #expect(
      failed.transferred == 0 && failed.failure?.cause.reason.contains("InternalError") == true)
    #expect(try server.bytes(of: image.id) == nil)

    try server.put(sampleBytes(1, size: 500_000), as: image.id)
    var remote = try server.remote()
    parts(&remote)
    try remote.connect().send(
      ImageObject(image), from: here.store.path(of: image.id), TransferAction()
    ) { _ in }
    #expect(try server.uploads() == 0)
  }

  @Test("stops when it is canceled and removes uploaded parts")
  func cancelled() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 2_000_000)
    let isStopped = Mutex(false)
    var context = s3Context()
    context.isCancelled = { isStopped.withLock { $0 } }
    let environment = server.key.environment
    var remote = S3Images(
      try S3Address(server.address()), context, environment: { environment[$0] })
    (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    let sent = try ImageTransfer(
      remote, here.store,
      .quick {
        $0.isCancelled = { isStopped.withLock { $0 } }
        $0.progress = { progress in
          if progress.bytes > 500_000 { isStopped.withLock { $0 = true } }
        }
      }
    ).send([image])
    #expect(sent.transferred == 0 && sent.end?.cause.kind == .cancelled)
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)
  }
}
