import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// ssh is a program of ours that runs a server here: sshd's own, cut somewhere, or one that lies.
@Suite("sftp servers that go away and lie")
struct SFTPFaultTests {
  private static let server = "/usr/lib/openssh/sftp-server"
  private static let isInstalled = FileManager.default.isExecutableFile(atPath: server)
  private static let missing: Comment =
    "sftp-server is missing: `make setup` installs openssh-server"

  private func remote(_ place: Place, _ script: String) throws -> SFTPImages {
    let name = "ssh-\(UUID().uuidString.prefix(8))"
    try place.write("#!/bin/bash\n\(script)\n", to: name, isProgram: true)
    var context = TransportContext(GitSettings(), git: nil)
    context.callSSH(place.root.appending(name).string)
    context.beImpatient(seconds: 5)
    return try SFTPImages(SSHAddress(sftp: "sftp://h\(place.root)/images"), context)
  }

  @Test(
    "a server that goes away in the midst leaves whole images or none, and the next time all moves",
    .enabled(if: isInstalled, missing),
    arguments: [0, 3, 9, 100, 400, 1000, 30_000, 33_000, 300_000, 500_000, 1_000_000])
  func cut(bytes: Int) throws {
    let place = try Place()
    let (here, there) = (try Scratch(), try Scratch())
    let images = try (0..<3).map { try here.add($0, size: 400_000) }
    let store = BlobStore(directory: place.root.appending("images"), environment: .machine)
    let whole = try remote(place, "exec \(SFTPFaultTests.server)")
    for cut in [
      "stdbuf -o0 head -c \(bytes) | \(SFTPFaultTests.server)",
      "exec > >(stdbuf -o0 head -c \(bytes)); exec \(SFTPFaultTests.server)",
    ] {
      try? FileManager.default.removeItem(atPath: store.directory.string)
      let broken = try remote(place, cut)
      let sent = try ImageTransfer(broken, here.store, .quick(attempts: 2)).send(images)
      #expect(sent.moved == 3 || sent.failure != nil)
      #expect(try wrongObjects(in: store) == [])
      let second = try ImageTransfer(whole, here.store, .quick(attempts: 1)).send(images)
      #expect(second.failure == nil && second.moved + second.known.count == 3)

      for image in images {
        try? FileManager.default.removeItem(atPath: there.store.path(of: image.id).string)
      }
      let came = try ImageTransfer(broken, there.store, .quick(attempts: 2)).receive(images)
      #expect(came.moved == 3 || came.failure != nil)
      #expect(try wrongObjects(in: there.store) == [])
      let rest = try ImageTransfer(whole, there.store, .quick(attempts: 1)).receive(images)
      #expect(rest.failure == nil)
      for image in images { #expect(there.bytes(of: image.id) == here.bytes(of: image.id)) }
    }
  }

  private func lies(_ lie: String, size: Int, _ place: Place) throws -> SFTPImages {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/sftp_liar.py").path
    return try remote(place, "exec python3 '\(script)' \(lie) \(size)")
  }

  @Test(
    "a server that does not keep to the protocol is left with one clear sentence",
    arguments: [
      "text", "first", "version", "long", "tiny", "cut", "endless", "numbers", "kind", "unknown",
      "attributes", "handle", "more", "none", "end",
    ])
  func hostile(lie: String) throws {
    let place = try Place()
    let there = try Scratch()
    let image = pointer(to: sampleBytes(1, size: 100_000))
    let came = try ImageTransfer(
      lies(lie, size: 100_000, place), there.store, .quick(attempts: 2)
    ).receive([image])
    let error = try #require(came.failure)
    // That a file ends early may be so.
    #expect(error.cause.kind == (lie == "end" ? .damaged : .protocolViolation), "\(error)")
    #expect(came.moved == 0 && there.bytes(of: image.id) == nil)
  }

  @Test("a server that takes images, and what it says is bounded", arguments: ["names", "failure"])
  func hostileUpload(lie: String) throws {
    let place = try Place()
    let here = try Scratch()
    let report = try ImageTransfer(lies(lie, size: 0, place), here.store, .quick(attempts: 2))
      .send([here.add(1)])
    if lie == "names" {
      #expect(report.moved == 1, "\(report)")
    } else {
      #expect(report.failure?.cause.reason.hasSuffix(": words") == true, "\(report)")
    }
  }

  @Test("a count that nothing follows is not believed")
  func hostileCount() throws {
    let place = try Place()
    let here = try Scratch()
    let report = try ImageTransfer(lies("count", size: 0, place), here.store, .quick(attempts: 2))
      .send([here.add(1)])
    #expect(report.failure?.cause.kind == .protocolViolation, "\(report)")
  }

  @Test("a server that sends other bytes than those of the image is found out")
  func otherBytes() throws {
    let place = try Place()
    let there = try Scratch()
    let image = pointer(to: sampleBytes(1, size: 100_000))
    let came = try ImageTransfer(
      lies("nothing", size: 100_000, place), there.store, .quick(attempts: 2)
    ).receive([image])
    #expect(came.failure?.cause.kind == .damaged)
    #expect(there.bytes(of: image.id) == nil)
  }

  @Test("a server that says nothing more is given up")
  func silent() throws {
    let place = try Place()
    let there = try Scratch()
    var context = TransportContext(GitSettings(), git: nil)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/sftp_liar.py").path
    try place.write("#!/bin/sh\nexec python3 '\(script)' silent 9\n", to: "ssh", isProgram: true)
    context.callSSH(place.root.appending("ssh").string)
    context.beImpatient(seconds: 1)
    context.timeout.first = 30
    let remote = try SFTPImages(SSHAddress(sftp: "sftp://h/images"), context)
    let came = try ImageTransfer(remote, there.store, .quick(attempts: 2))
      .receive([pointer(to: [1])])
    #expect(came.failure?.cause.kind == .lost, "\(came)")
    #expect(came.failure?.cause.reason.contains("1 second") == true, "\(came)")
  }
}
