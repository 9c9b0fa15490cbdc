import CairnDocument
import CairnHTTP
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnImages

@Suite(
  "S3 keys and policies",
  .enabled(if: S3Program.isMotoInstalled, S3Program.missing))
struct S3AccountTests {
  @Test("reports a wrong key, a wrong secret or a missing bucket without showing a secret")
  func refusals() throws {
    let (server, here) = (try S3Server(), Scratch())
    let images = try (0..<20).map { try here.add($0) }
    let admin = server.moto.account.admin
    var (wrong, unknown) = (admin, admin)
    wrong.secret = "hush" + UUID().uuidString
    unknown.keyID = "AKIAHUSHHUSHHUSHHUSH"
    for (remote, kind, code) in [
      (try server.remote(as: wrong), TransportError.Kind.authentication, "SignatureDoesNotMatch"),
      (try server.remote(as: unknown), .authentication, "InvalidAccessKeyId"),
      (
        try server.remote(as: admin, at: server.address(bucket: "no-such-bucket")), .noRepository,
        "NoSuchBucket"
      ),
    ] {
      for report in [
        try ImageTransfer(remote, here.store, .quick()).send(images),
        try ImageTransfer(remote, Scratch().store, .quick()).receive(images),
      ] {
        let end = try #require(report.end, "\(code)")
        #expect(end.cause.kind == kind)
        #expect("\(end)".contains(code) && "\(end)".hasPrefix("s3://"))
        #expect(report.transferred == 0)
        for secret in [wrong.secret, admin.secret, wrong.keyID, unknown.keyID] {
          #expect(!"\(end)".contains(secret))
        }
      }
    }
  }

  @Test("downloads with a read-only key and reports that it cannot upload")
  func readOnly() throws {
    let (server, here, there) = (try S3Server(), Scratch(), Scratch())
    let images = try (0..<12).map { try here.add($0) }
    _ = try ImageTransfer(server.remote(), here.store, .quick()).send(Array(images[..<9]))
    let remote = try server.remote(as: server.moto.account.reader)
    let received = try ImageTransfer(remote, there.store, .quick()).receive(images)
    #expect(received.transferred == 9 && received.missing.count == 3 && received.failure == nil)
    let sent = try ImageTransfer(remote, here.store, .quick()).send(images)
    #expect(sent.transferred == 0)
    #expect(sent.end?.cause.kind == .forbidden)
    #expect("\(try #require(sent.end))".contains("AccessDenied"))
  }

  @Test("uploads with a write-only key, also over an object that it may not see")
  func writeOnly() throws {
    let (server, here) = (try S3Server(), Scratch())
    let images = try (0..<5).map { try here.add($0) }
    // The key cannot tell whether this is the image.
    try server.put(sampleBytes(99, size: 1000), as: images[0].id)
    let remote = try server.remote(as: server.moto.account.writer)
    let sent = try ImageTransfer(remote, here.store, .quick()).send(images)
    #expect(sent.transferred == 5 && sent.failure == nil)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
  }

  @Test("sends the token of temporary credentials")
  func token() throws {
    let (server, here, there) = (try S3Server(), Scratch(), Scratch())
    let images = try (0..<5).map { try here.add($0) }
    let remote = try server.remote(as: server.moto.account.guest)
    #expect(try ImageTransfer(remote, here.store, .quick()).send(images).transferred == 5)
    #expect(try ImageTransfer(remote, there.store, .quick()).receive(images).transferred == 5)
    var other = server.moto.account.guest
    other.token = "hushhush"
    let sent = try ImageTransfer(server.remote(as: other), here.store, .quick()).send(images)
    #expect(sent.end?.cause.kind == .authentication)
    #expect(!"\(try #require(sent.end))".contains("hush"))
  }

  @Test("uploads a large image in parts, as one object")
  func parts() throws {
    let (server, here, there) = (try S3Server(), Scratch(), Scratch())
    let images = [try here.add(1, size: 330_000), try here.add(2, size: 300_000)]
    var remote = try server.remote(as: server.moto.account.admin)
    (remote.multipartThreshold, remote.partSize) = (150_000, 100_000)
    let last = Mutex(0)
    let sent = try ImageTransfer(
      remote, here.store,
      .quick { $0.progress = { progress in last.withLock { $0 = progress.bytes } } }
    ).send(images)
    #expect(sent.transferred == 2 && sent.failure == nil, "\(sent)")
    #expect(last.withLock { $0 } == sent.bytes)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    #expect(try server.moto.program.ask("uploads", as: Int.self) == 0)
    #expect(try ImageTransfer(remote, here.store, .quick()).send(images).known.count == 2)
    #expect(try ImageTransfer(remote, there.store, .quick()).receive(images).transferred == 2)
  }
}
