import CairnImages
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

/// `ImageRemoteTests` has the tests that all image stores pass.
@Suite("The sftp server of ProFTPD", .enabled(if: ProFTPDServer.isInstalled, ProFTPDServer.missing))
struct ProFTPDTests {
  private func temporaryFiles(_ server: ProFTPDServer) throws -> [String] {
    let tmp = server.files.store.directory.appending("tmp").string
    return try FileManager.default.contentsOfDirectory(atPath: tmp)
  }

  @Test("continues an upload that was killed, unless the uploaded part is damaged")
  func continues() throws {
    let (server, here) = (try ProFTPDServer(), Scratch())
    let images = try [1, 2].map { try here.add($0, size: 1_000_000) }
    let tmp = server.files.store.directory.appending("tmp")
    try FileManager.default.createDirectory(atPath: tmp.string, withIntermediateDirectories: true)
    for image in images {
      var bytes = Array(try #require(here.bytes(of: image.id)).prefix(700_000))
      if image == images[1] { bytes[300_000] ^= 1 }
      let path = tmp.appending("\(image.id).0abc").string
      try Data(bytes).write(to: URL(filePath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600), .posixPermissions: 0o444],
        ofItemAtPath: path)
    }
    let log = server.box.path("sent")
    let remote = try server.images(ssh: "tee \(log)-$$ | \(server.ssh)")
    let sent = try ImageTransfer(remote, here.store, .quick()).send(images)
    #expect(sent.transferred == 2 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    // All of the damaged one, and the rest of the other.
    let count = try server.box.succeed("sh", ["-c", "cat sent-* | wc -c"]).word
    #expect((1_300_000..<1_500_000).contains(try #require(Int(count))), "\(count)")
    #expect(try temporaryFiles(server) == [])
  }

  @Test("stores and replaces images where the server overwrites no file and has no extensions")
  func withoutOverwriting() throws {
    let server = try ProFTPDServer(
      "AllowOverwrite off\nSFTPExtensions -posixRename -fsync -statvfs")
    let here = Scratch()
    let images =
      try (0..<20).map { try here.add($0, size: 40_000) } + [here.add(99, size: 1_000_000)]
    let transfer = ImageTransfer(try server.remote(), here.store, .quick())
    let sent = try transfer.send(images)
    #expect(sent.transferred == 21 && sent.failure == nil, "\(sent)")
    let damaged = [images[3], images[20]]
    for image in damaged { try server.put(sampleBytes(98, size: image.size), as: image.id) }
    #expect(Set(try transfer.verify(images).damaged) == Set(damaged.map(\.id)))
    #expect(try transfer.send(images, replacing: Set(damaged.map(\.id))).transferred == 2)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    #expect(try temporaryFiles(server) == [])
  }
}
