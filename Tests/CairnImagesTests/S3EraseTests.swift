import CairnImages
import CairnStore
import Foundation
import Testing

@Suite("Erasing images from a bucket")
struct S3EraseTests {
  private let here = Scratch()

  private func erase(_ server: StrictS3, _ images: [Pointer]) throws -> ImageErasureReport {
    try ImageTransfer(server.remote(), here.store).erase(images)
  }

  private func find(_ server: StrictS3, _ images: [Pointer]) throws -> ImageErasureReport {
    try ImageTransfer(server.remote(), here.store).findErased(images)
  }

  @Test("deletes all versions, also hidden ones, and unfinished uploads of these images only")
  func versions() throws {
    let server = try StrictS3(["versioned": true])
    let images = try (0..<3).map { try here.add($0) }
    #expect(try ImageTransfer(server.remote(), here.store).send(images).transferred == 3)
    try server.hide(images[0].id)
    #expect(try ImageTransfer(server.remote(), here.store).send(images).transferred == 1)
    try server.hide(images[1].id)
    try server.orphan(images[0].id)
    #expect(try server.versions() == 6)

    let report = try erase(server, [images[0], images[1]])
    #expect(report.erased == [images[0], images[1]] && report.failed.isEmpty, "\(report)")
    #expect(try server.versions() == 1 && server.uploads() == 0)
    #expect(try server.bytes(of: images[0].id) == nil)
    #expect(try server.bytes(of: images[2].id) != nil)
  }

  @Test("deletes the object where a server knows no versions")
  func noVersions() throws {
    let server = try StrictS3(["noVersions": true])
    let image = try here.add(1)
    _ = try ImageTransfer(server.remote(), here.store).send([image])
    #expect(try find(server, [image]).kept == [image])
    #expect(try erase(server, [image]).erased == [image])
    #expect(try server.bytes(of: image.id) == nil)
    #expect(try find(server, [image]).erased == [image])
  }

  @Test("finds and erases an image that the server does not list yet, as OpenStack Swift may")
  func unlisted() throws {
    let server = try StrictS3(["versioned": true])
    let image = try here.add(1)
    // It has no version that could be listed.
    try server.put(sampleBytes(1, size: 1000), as: image.id)
    #expect(try find(server, [image]).kept == [image])
    #expect(try erase(server, [image]).erased == [image])
    #expect(try server.bytes(of: image.id) == nil && server.versions() == 0)
    #expect(try find(server, [image]).erased == [image])
  }

  @Test("finds an image that a deletion has only hidden, and an unfinished upload of one")
  func findsHidden() throws {
    let server = try StrictS3(["versioned": true])
    let images = try (0..<3).map { try here.add($0) }
    #expect(try ImageTransfer(server.remote(), here.store).send(images).transferred == 3)
    try server.hide(images[0].id)
    #expect(try erase(server, [images[1], images[2]]).erased.count == 2)
    try server.orphan(images[2].id)
    let found = try find(server, images)
    #expect(found.kept == [images[0], images[2]] && found.erased == [images[1]], "\(found)")
    #expect(try erase(server, images).erased == images)
    #expect(try find(server, images).erased == images)
    // A key that may not list the versions cannot tell.
    try server.fail(["versions"], ["status": 403, "code": "AccessDenied"])
    let denied = try find(server, [images[0]])
    #expect(denied.erased.isEmpty && denied.failed.count == 1, "\(denied)")
  }

  @Test("tries again after a passing failure, and reports a lasting one with its reason")
  func failures() throws {
    let server = try StrictS3(["versioned": true])
    let images = try (0..<2).map { try here.add($0) }
    _ = try ImageTransfer(server.remote(), here.store).send(images)
    try server.fail(["DELETE"], ["status": 503, "code": "SlowDown"])
    #expect(try erase(server, [images[0]]).erased == [images[0]])

    // A lock on the object, or a key that may not delete.
    try server.fail(["DELETE"], ["status": 403, "code": "AccessDenied"], times: 10)
    let report = try erase(server, [images[1]])
    #expect(report.erased.isEmpty && report.failed.map(\.image) == [images[1]])
    #expect("\(report.failed[0].error)".contains("AccessDenied"), "\(report.failed)")
    #expect(try server.bytes(of: images[1].id) != nil)
  }
}
