import CairnGit
import CairnHTTP
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// In these tests `ssh` is a script that runs a server here: OpenSSH's, with the connection cut
/// somewhere, or one that violates the protocol.
@Suite("SFTP servers that disconnect or violate the protocol")
struct SFTPFaultTests {
  private static let server = "/usr/lib/openssh/sftp-server"
  private static let isInstalled = FileManager.default.isExecutableFile(atPath: server)
  private static let missing: Comment =
    "sftp-server is missing: `make setup` installs openssh-server"

  private func remote(_ box: Sandbox, _ script: String) throws -> SFTPImages {
    let name = "ssh-\(UUID().uuidString.prefix(8))"
    try box.write("#!/bin/bash\n\(script)\n", to: name, isProgram: true)
    var context = TransportContext(GitSettings(), git: nil)
    context.callSSH(box.root.appending(name).string)
    context.beImpatient(seconds: 5)
    return try SFTPImages(SSHAddress(sftp: "sftp://h\(box.root)/images"), context)
  }

  @Test(
    "leaves whole images or none when the server disconnects, and completes next time",
    .enabled(if: isInstalled, missing),
    arguments: [0, 3, 9, 100, 400, 1000, 30_000, 33_000, 300_000, 500_000, 1_000_000])
  func cut(bytes: Int) throws {
    let box = try Sandbox(user: "Ann")
    let (here, there) = (Scratch(), Scratch())
    let images = try (0..<3).map { try here.add($0, size: 400_000) }
    let store = BlobStore(directory: box.root.appending("images"), environment: .machine)
    let whole = try remote(box, "exec \(SFTPFaultTests.server)")
    for cut in [
      "stdbuf -o0 head -c \(bytes) | \(SFTPFaultTests.server)",
      "exec > >(stdbuf -o0 head -c \(bytes)); exec \(SFTPFaultTests.server)",
    ] {
      try? FileManager.default.removeItem(atPath: store.directory.string)
      let broken = try remote(box, cut)
      let sent = try ImageTransfer(broken, here.store, .quick(attempts: 2)).send(images)
      #expect(sent.transferred == 3 || sent.failure != nil)
      #expect(try wrongObjects(in: store) == [])
      let second = try ImageTransfer(whole, here.store, .quick(attempts: 1)).send(images)
      #expect(second.failure == nil && second.transferred + second.known.count == 3)

      for image in images {
        try? FileManager.default.removeItem(atPath: there.store.path(of: image.id).string)
      }
      let received = try ImageTransfer(broken, there.store, .quick(attempts: 2)).receive(images)
      #expect(received.transferred == 3 || received.failure != nil)
      #expect(try wrongObjects(in: there.store) == [])
      let rest = try ImageTransfer(whole, there.store, .quick(attempts: 1)).receive(images)
      #expect(rest.failure == nil)
      for image in images { #expect(there.bytes(of: image.id) == here.bytes(of: image.id)) }
    }
  }

  @Test(
    "replaces a damaged image without posix-rename, and fails where it cannot be removed",
    .enabled(if: isInstalled, missing))
  func replaces() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let image = try here.add(1)
    let store = BlobStore(directory: box.root.appending("images"), environment: .machine)
    let server = DirectoryServer(at: store.directory)
    let damaged = sampleBytes(2, size: image.size)
    try server.put(damaged, as: image.id)
    func send(_ denied: String) throws -> ImageReport {
      let remote = try remote(box, "exec \(SFTPFaultTests.server) -P \(denied)")
      return try ImageTransfer(remote, here.store, .quick(attempts: 1))
        .send([image], replacing: [image.id])
    }
    let failed = try send("posix-rename,remove")
    #expect(failed.transferred == 0 && failed.failure != nil, "\(failed)")
    #expect(try server.bytes(of: image.id) == damaged)
    let sent = try send("posix-rename")
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
  }

  @Test(
    "uses a connection that is free while another one is being opened",
    .enabled(if: isInstalled, missing))
  func freeConnection() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    // Too large to be sent together.
    let images = try (0..<6).map { try here.add($0, size: 300_000) }
    // All connections but the first wait until the other images are sent.
    let remote = try remote(
      box,
      """
      echo >> '\(box.root)/calls'
      if [ "$(wc -l < '\(box.root)/calls')" -gt 1 ]; then
        for _ in $(seq 90); do [ -e '\(box.root)/go' ] && break; sleep 0.05; done
        [ -e '\(box.root)/go' ] || touch '\(box.root)/late'
      fi
      exec \(SFTPFaultTests.server)
      """)
    let options = ImageTransfer.Options.quick {
      $0.connections = 3
      $0.progress = { if $0.images == 5 { try? box.write("", to: "go") } }
    }
    let sent = try ImageTransfer(remote, here.store, options).send(images)
    #expect(sent.transferred == 6 && sent.failure == nil, "\(sent)")
    #expect(!box.exists("late"))
  }

  private func faulty(
    _ fault: String, size: Int, _ box: Sandbox, _ arguments: String = ""
  ) throws -> SFTPImages {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/broken_sftp.py").path
    return try remote(box, "exec python3 '\(script)' \(fault) \(size) \(arguments)")
  }

  @Test(
    "takes each step of several small images at once, for a server that is far away",
    arguments: ["together", "new"])
  func together(fault: String) throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let images = try (0..<4).map { try here.add($0, size: 60_000) }
    let remote = try faulty(fault, size: 0, box)
    let options = ImageTransfer.Options.quick(attempts: 1) { $0.connections = 1 }
    let sent = try ImageTransfer(remote, here.store, options).send(images)
    #expect(sent.transferred == 4 && sent.failure == nil, "\(sent)")
  }

  @Test(
    "fetches several small images at once, and the rest of what a server does not send at once",
    arguments: ["fetch", "short"])
  func fetchesTogether(fault: String) throws {
    let box = try Sandbox(user: "Ann")
    let there = Scratch()
    let images = (0..<4).map { pointer(to: [UInt8](repeating: $0, count: 60_000)) }
    let remote = try faulty(fault, size: 60_000, box)
    let options = ImageTransfer.Options.quick(attempts: 1) { $0.connections = 1 }
    let received = try ImageTransfer(remote, there.store, options).receive(images)
    #expect(received.transferred == 4 && received.failure == nil, "\(received)")
    for image in images { #expect(there.bytes(of: image.id).map(pointer(to:)) == image) }
    let verified = try ImageTransfer(remote, there.store, options).verify(images)
    #expect(verified.transferred == 4 && verified.failure == nil, "\(verified)")
  }

  @Test(
    "fetches the other small images when one is damaged, and names that one",
    .enabled(if: isInstalled, missing))
  func damagedOfGroup() throws {
    let box = try Sandbox(user: "Ann")
    let (here, there) = (Scratch(), Scratch())
    let images = try (0..<6).map { try here.add($0, size: 60_000) }
    let server = DirectoryServer(at: box.root.appending("images"))
    let remote = try remote(box, "exec \(SFTPFaultTests.server)")
    let options = ImageTransfer.Options.quick { $0.connections = 1 }
    #expect(try ImageTransfer(remote, here.store, options).send(images).transferred == 6)
    try server.put(sampleBytes(9, size: 60_000), as: images[1].id)
    try server.put(nil, as: images[4].id)
    for report in [
      try ImageTransfer(remote, there.store, options).receive(images),
      try ImageTransfer(remote, there.store, options).verify(images),
    ] {
      #expect(report.transferred == 4 && report.missing == [images[4]], "\(report)")
      #expect(report.damaged == [images[1].id] && report.failed.count == 1, "\(report)")
    }
    for image in [images[0], images[2], images[3], images[5]] {
      #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
    }
    #expect(there.bytes(of: images[1].id) == nil)
  }

  @Test(
    "stores the other small images when one cannot be stored, and leaves nothing of that one",
    .enabled(if: isInstalled, missing), arguments: ["", " -P posix-rename,fsync"])
  func otherOfGroup(options arguments: String) throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let images = try (0..<6).map { try here.add($0, size: 60_000) }
    let store = BlobStore(directory: box.root.appending("images"), environment: .machine)
    let remote = try remote(box, "exec \(SFTPFaultTests.server)\(arguments)")
    let options = ImageTransfer.Options.quick(attempts: 1) { $0.connections = 1 }
    // This creates the directories.
    #expect(try ImageTransfer(remote, here.store, options).send([images[5]]).transferred == 1)
    // A file is in the place of a directory.
    let place = store.path(of: images[1].id).removingLastComponent().removingLastComponent()
    try Data("x".utf8).write(to: URL(filePath: place.string))
    let sent = try ImageTransfer(remote, here.store, options).send(Array(images[..<5]))
    #expect(sent.transferred == 4 && sent.failure != nil, "\(sent)")
    for (number, image) in images.enumerated() where number != 1 {
      #expect(try store.isIntact(image.id) == true)
    }
    let tmp = store.directory.appending("tmp").string
    #expect(try FileManager.default.contentsOfDirectory(atPath: tmp) == [])
  }

  @Test("sends an image again when another client took over the file of its upload")
  func movedUpload() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let remote = try faulty("moved", size: 0, box, "'\(box.root)/renames'")
    let sent = try ImageTransfer(remote, here.store, .quick()).send([here.add(1)])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try box.text("renames").split(separator: "\n").count == 3)
  }

  @Test("leaves an upload alone that another client makes, also when the clocks differ")
  func otherClock() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let image = try here.add(1, size: 200_000)
    let remote = try faulty("clock", size: 0, box, "'\(box.root)/renames' \(image.id)")
    let sent = try ImageTransfer(remote, here.store, .quick()).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(!FileManager.default.fileExists(atPath: box.root.appending("renames").string))
  }

  @Test(
    "stops with an error when the server violates the protocol",
    arguments: [
      "text", "first", "version", "long", "tiny", "cut", "endless", "numbers", "kind", "unknown",
      "attributes", "handle", "more", "none", "end",
    ])
  func hostile(fault: String) throws {
    let box = try Sandbox(user: "Ann")
    let there = Scratch()
    let image = pointer(to: sampleBytes(1, size: 100_000))
    let received = try ImageTransfer(
      faulty(fault, size: 100_000, box), there.store, .quick(attempts: 2)
    ).receive([image])
    let error = try #require(received.failure)
    // A file may really end early.
    #expect(error.cause.kind == (fault == "end" ? .damaged : .protocolViolation), "\(error)")
    #expect(received.transferred == 0 && there.bytes(of: image.id) == nil)
  }

  @Test(
    "limits the names it reads and reports the server's message when an upload fails",
    arguments: ["names", "failure"])
  func hostileUpload(fault: String) throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let report = try ImageTransfer(faulty(fault, size: 0, box), here.store, .quick(attempts: 2))
      .send([here.add(1)])
    if fault == "names" {
      #expect(report.transferred == 1, "\(report)")
    } else {
      #expect(report.failure?.cause.reason.hasSuffix(": words") == true, "\(report)")
    }
  }

  @Test("rejects a count of names that nothing follows")
  func hostileCount() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let report = try ImageTransfer(faulty("count", size: 0, box), here.store, .quick(attempts: 2))
      .send([here.add(1)])
    #expect(report.failure?.cause.kind == .protocolViolation, "\(report)")
  }

  @Test("stops erasing when the list of a directory does not end")
  func endlessListing() throws {
    let box = try Sandbox(user: "Ann")
    let here = Scratch()
    let report = try ImageTransfer(faulty("names", size: 0, box), here.store, .quick(attempts: 2))
      .erase([here.add(1)])
    #expect(report.failed.map(\.error.kind) == [.protocolViolation], "\(report)")
  }

  @Test("detects a server that sends other bytes than the image's")
  func otherBytes() throws {
    let box = try Sandbox(user: "Ann")
    let there = Scratch()
    let image = pointer(to: sampleBytes(1, size: 100_000))
    let received = try ImageTransfer(
      faulty("nothing", size: 100_000, box), there.store, .quick(attempts: 2)
    ).receive([image])
    #expect(received.failure?.cause.kind == .damaged)
    #expect(there.bytes(of: image.id) == nil)
  }

  @Test("gives up when the server stops responding")
  func silent() throws {
    let box = try Sandbox(user: "Ann")
    let there = Scratch()
    var context = TransportContext(GitSettings(), git: nil)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/broken_sftp.py").path
    try box.write("#!/bin/sh\nexec python3 '\(script)' silent 9\n", to: "ssh", isProgram: true)
    context.callSSH(box.root.appending("ssh").string)
    context.beImpatient(seconds: 1)
    context.timeout.first = 30
    let remote = try SFTPImages(SSHAddress(sftp: "sftp://h/images"), context)
    let received = try ImageTransfer(remote, there.store, .quick(attempts: 2))
      .receive([pointer(to: [1])])
    #expect(received.failure?.cause.kind == .connectionLost, "\(received)")
    #expect(received.failure?.cause.reason.contains("1 second") == true, "\(received)")
  }

  @Test("retries a server that never responds only as often as one that cannot be reached")
  func neverSpeaks() throws {
    let box = try Sandbox(user: "Ann")
    let there = Scratch()
    var context = TransportContext(GitSettings(), git: nil)
    try box.write(
      "#!/bin/sh\necho called >> '\(box.root)/calls'\ncat > /dev/null\n", to: "ssh",
      isProgram: true)
    context.callSSH(box.root.appending("ssh").string)
    context.beImpatient(seconds: 1)
    let remote = try SFTPImages(SSHAddress(sftp: "sftp://h/images"), context)
    let options = ImageTransfer.Options.quick { $0.retries.attemptsToConnect = 2 }
    let received = try ImageTransfer(remote, there.store, options).receive([pointer(to: [1])])
    #expect(received.failure?.cause.kind == .connectionLost, "\(received)")
    #expect(received.failure?.isBeforeConnection == true)
    #expect(try box.text("calls").split(separator: "\n").count == 2)
  }
}
