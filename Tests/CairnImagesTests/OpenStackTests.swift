import CairnDocument
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages

/// `ImageRemoteTests` has the tests that all image stores pass.
@Suite(
  "The S3 API of OpenStack Swift",
  .enabled(if: OpenStackSwift.isUsable, OpenStackSwift.missing))
struct OpenStackTests {
  private let here = Scratch()

  /// Returns the remote with parts of the smallest size that the server accepts.
  private func remote(
    _ server: OpenStackServer, port: UInt16? = nil,
    _ change: (inout TransportContext) -> Void = { _ in }
  ) throws -> S3Images {
    var remote = try server.images(port: port, change)
    (remote.multipartThreshold, remote.partSize) = (5 << 20, 5 << 20)
    return remote
  }

  @Test("uploads a large image in parts, and continues an interrupted upload with the missing ones")
  func parts() throws {
    let (server, there) = (try OpenStackServer(), Scratch())
    let image = try here.add(1, size: 11 << 20)
    // The connection breaks in the second part.
    let cut = [FaultPlan.Fault.cut(.up, after: 6 << 20)]
    let proxy = try FaultProxy(
      to: server.swift.account.port,
      .connections([cut] + [[FaultPlan.Fault]](repeating: [.refuse], count: 10)))
    let interrupted = try ImageTransfer(
      remote(server, port: proxy.port), here.store, .quick(attempts: 1)
    ).send([image])
    proxy.stop()
    #expect(interrupted.transferred == 0 && interrupted.failure?.isTransient == true)
    let begun = try server.parts(of: image.id)
    let upload = try #require(begun.first)
    #expect(begun == [upload, "\(upload)/1"], "\(begun)")

    let sent = try ImageTransfer(remote(server), here.store, .quick()).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try server.parts(of: image.id) == (1...3).map { "\(upload)/\($0)" })
    #expect(try ImageTransfer(remote(server), here.store, .quick()).send([image]).known.count == 1)
    let received = try ImageTransfer(remote(server), there.store, .quick()).receive([image])
    #expect(received.transferred == 1 && received.failure == nil, "\(received)")
    #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
  }

  @Test("removes the parts of an upload that is canceled, and uploads that were abandoned long ago")
  func abandonedParts() throws {
    let server = try OpenStackServer()
    let images = [try here.add(1, size: 11 << 20), try here.add(2)]
    try server.orphan(images[1].id)
    let isStopped = Mutex(false)
    let sent = try ImageTransfer(
      remote(server) { $0.isCancelled = { isStopped.withLock { $0 } } }, here.store,
      .quick {
        $0.isCancelled = { isStopped.withLock { $0 } }
        $0.progress = { progress in
          if progress.bytes > 6 << 20 { isStopped.withLock { $0 = true } }
        }
      }
    ).send([images[0]])
    #expect(sent.transferred == 0 && sent.end?.cause.kind == .cancelled, "\(sent)")
    for image in images { #expect(try server.parts(of: image.id) == []) }
    #expect(try server.bytes(of: images[0].id) == nil)
  }

  @Test("erases images that were sent in parts or are not listed yet, and unfinished uploads")
  func erases() throws {
    let server = try OpenStackServer()
    let images = [try here.add(1, size: 6 << 20), try here.add(2), try here.add(3)]
    try server.unlist(images[1].id)
    #expect(try ImageTransfer(remote(server), here.store, .quick()).send(images).transferred == 3)
    try server.orphan(images[0].id)
    let transfer = ImageTransfer(try remote(server), here.store, .quick())
    #expect(try transfer.findErased(images).kept == images)
    let erased = try transfer.erase([images[0], images[1]])
    #expect(erased.erased == [images[0], images[1]] && erased.failed.isEmpty, "\(erased)")
    #expect(try server.parts(of: images[0].id) == [])
    for image in images[..<2] { #expect(try server.bytes(of: image.id) == nil) }
    #expect(try server.bytes(of: images[2].id) != nil)
    #expect(try transfer.findErased(images).kept == [images[2]])
  }
}
