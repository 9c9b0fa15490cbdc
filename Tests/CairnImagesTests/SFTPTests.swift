import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "Images over SFTP with OpenSSH",
  .enabled(if: SSHServer.isInstalled, SSHServer.missing))
struct SFTPTests {
  /// Sends images, which must fail, and returns the error.
  private func refusal(
    _ server: SFTPServer, _ change: (inout TransportContext) -> Void = { _ in }
  ) throws -> TransferError {
    let here = Scratch()
    let images = try (0..<3).map { try here.add($0, size: 300_000) }
    let report = try ImageTransfer(server.remote(change), here.store, .quick()).send(images)
    #expect(report.transferred == 0)
    return try #require(report.failure)
  }

  private func temporaryFiles(_ server: SFTPServer) -> [String] {
    let path = server.directory.appending("tmp").string
    return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  @Test("reports a wrong key or an unknown host as an error of the remote, without retrying")
  func notAdmitted() throws {
    let server = try SFTPServer()
    let stranger = try refusal(server) { $0.callSSH(server.ssh.command(key: "stranger_key")) }
    #expect(stranger.cause.kind == .authentication && stranger.scope == .remote)
    #expect(!stranger.isTransient)
    let unknown = try refusal(server) { $0.callSSH(server.ssh.command(knownHosts: "nobody")) }
    #expect(unknown.cause.kind == .untrusted && unknown.scope == .remote && !unknown.isTransient)
  }

  @Test("asks for a password only once if it is wrong")
  func askedOnce() throws {
    let server = try SFTPServer()
    let calls = server.box.root.appending("calls")
    try server.box.write(
      "#!/bin/sh\necho >> \(calls)\necho 'ann@h: Permission denied (password).' >&2\nexit 255\n",
      to: "ssh", isProgram: true)
    let error = try refusal(server) { $0.callSSH(server.box.root.appending("ssh").string) }
    #expect(error.cause.kind == .authentication)
    #expect(try server.box.text("calls") == "\n")
  }

  @Test("asks for a password only once and shares the connection")
  func takesTurns() throws {
    let server = try SFTPServer()
    try server.box.write(
      """
      #!/bin/bash
      if [[ "$*" == *BatchMode=yes* ]]; then
        echo 'ann@h: Permission denied (publickey,password).' >&2; exit 255
      fi
      echo >> \(server.box.root)/calls
      exec /usr/lib/openssh/sftp-server

      """, to: "ssh", isProgram: true)
    let here = Scratch()
    let images = try (0..<30).map { try here.add($0, size: 50_000) }
    let remote = try server.remote { $0.callSSH(server.box.root.appending("ssh").string) }
    #expect(try ImageTransfer(remote, here.store, .quick()).send(images).transferred == 30)
    #expect(try ImageTransfer(remote, here.store, .quick()).check(images).known.count == 30)
    #expect(try server.box.text("calls") == "\n")
    #expect(try wrongObjects(in: server.store) == [])
  }

  @Test("reports an unreachable server and a server without sftp")
  func notThere() throws {
    let server = try SFTPServer(sftp: nil)
    let none = try refusal(server)
    #expect(none.cause.kind == .noProgram && none.scope == .remote, "\(none)")
    let port = try freePort()
    let here = Scratch()
    let report = try ImageTransfer(server.remote(port: port) { _ in }, here.store, .quick())
      .send([here.add(1)])
    let away = try #require(report.failure)
    #expect(away.cause.kind == .unreachable && away.isBeforeConnection, "\(away)")
    let missing = try refusal(server) { $0.callSSH("/no/such/program") }
    #expect(missing.cause.kind == .noProgram)
    let simple = try refusal(server) {
      $0.settings.entries.append(("ssh.variant", "simple"))
      $0.ssh = SSHCommand($0.settings)
    }
    #expect(simple.cause.kind == .unsupportedAddress)
  }

  @Test("downloads from a read-only directory and reports that it cannot upload")
  func readOnly() throws {
    let server = try SFTPServer(sftp: "internal-sftp -R")
    let error = try refusal(server)
    #expect(error.cause.kind == .forbidden && error.scope == .remote && !error.isTransient)
    let there = Scratch()
    let bytes = sampleBytes(1, size: 100_000)
    try server.put(bytes, as: pointer(to: bytes).id)
    let received = try ImageTransfer(server.remote(), there.store, .quick())
      .receive([pointer(to: bytes)])
    #expect(received.transferred == 1 && there.bytes(of: pointer(to: bytes).id) == bytes)
  }

  @Test("leaves nothing behind when a file on the server cannot grow")
  func full() throws {
    let limited = try SFTPServer()
    try limited.box.write(
      "#!/bin/bash\ntrap '' XFSZ; ulimit -f 100; exec /usr/lib/openssh/sftp-server\n", to: "ssh",
      isProgram: true)
    let error = try refusal(limited) { $0.callSSH(limited.box.root.appending("ssh").string) }
    #expect(error.scope == .remote && !error.isTransient, "\(error)")
    #expect(error.cause.reason.contains("Failure"), "\(error)")
    #expect(temporaryFiles(limited) == [], "\(error)")
    #expect(try wrongObjects(in: limited.store) == [])
  }

  /// Only root can mount; `make test` in a container runs as root.
  @Test(
    "reports a full disk and a read-only file system",
    .enabled(if: getuid() == 0, "mounting a small disk takes root"))
  func fullDisk() throws {
    let server = try SFTPServer()
    try FileManager.default.createDirectory(
      atPath: server.directory.string, withIntermediateDirectories: true)
    let mounted = try server.box.run(
      "mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", server.directory.string])
    try #require(mounted.status == 0, "\(mounted.all)")
    defer { _ = try? server.box.run("umount", ["-l", server.directory.string]) }
    let error = try refusal(server)
    #expect(
      error.cause.kind == .noSpace && error.scope == .remote && !error.isTransient, "\(error)")
    #expect(temporaryFiles(server) == [])
    let again = try server.box.run(
      "mount", ["-o", "remount,ro", server.directory.string])
    try #require(again.status == 0, "\(again.all)")
    let readOnly = try refusal(server)
    #expect(readOnly.cause.kind == .forbidden, "\(readOnly)")
    #expect(readOnly.cause.reason.contains("read-only"), "\(readOnly)")
  }

  @Test("creates a directory for the images, but none above it")
  func makesDirectory() throws {
    let server = try SFTPServer()
    let here = Scratch()
    let image = try here.add(1)
    let context = try server.context()
    let base = "sftp://\(NSUserName())@127.0.0.1:\(server.ssh.port)"
    let new = server.box.root.appending("new dir")
    let remote = try SFTPImages(
      SSHAddress(sftp: base + new.string.replacingOccurrences(of: " ", with: "%20")), context)
    #expect(try ImageTransfer(remote, here.store, .quick()).send([image]).transferred == 1)
    let store = BlobStore(directory: new, environment: .machine)
    #expect(try store.isIntact(image.id) == true)
    #expect(
      try FileManager.default.attributesOfItem(atPath: store.path(of: image.id).string)[
        .posixPermissions] as? Int == 0o444)

    let far = try SFTPImages(
      SSHAddress(sftp: "\(base)\(server.box.root)/no/such/dir"), context)
    let report = try ImageTransfer(far, here.store, .quick()).send([image])
    #expect(report.failure?.cause.kind == .noRepository, "\(String(describing: report.failure))")
    #expect(!FileManager.default.fileExists(atPath: server.box.root.appending("no").string))
  }

  @Test("stores images below the user's home, but not another user's")
  func home() throws {
    let server = try SFTPServer()
    let (here, there) = (Scratch(), Scratch())
    let image = try here.add(1)
    // A session starts in the home directory, here one of the test's own.
    try server.box.write(
      "#!/bin/sh\ncd \(server.box.root)/home && exec /usr/lib/openssh/sftp-server\n", to: "ssh",
      isProgram: true)
    var context = try server.context()
    context.callSSH(server.box.root.appending("ssh").string)
    for (path, name) in [("/~/images", "images"), ("/~", ".")] {
      let address = try SSHAddress(sftp: "sftp://ann@h\(path)")
      let remote = try SFTPImages(address, context)
      #expect(try ImageTransfer(remote, here.store, .quick()).send([image]).transferred == 1)
      let store = BlobStore(
        directory: server.box.root.appending("home").pushing(FilePath(name)),
        environment: .machine)
      #expect(try store.isIntact(image.id) == true)
      #expect(try ImageTransfer(remote, there.store, .quick()).check([image]).known.count == 1)
    }
    #expect(throws: TransportError.self) {
      try SFTPImages(SSHAddress(sftp: "sftp://h/~bob/images"), context)
    }
  }

  @Test("works with a server without extensions of the protocol")
  func withoutExtensions() throws {
    let server = try SFTPServer(
      sftp: "/usr/lib/openssh/sftp-server -P posix-rename,fsync,statvfs,limits,lsetstat,hardlink")
    let here = Scratch()
    let images = try (0..<6).map { try here.add($0, size: 70_000) }
    // Another file has the name of one image.
    try server.put([1, 2, 3], as: images[2].id)
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
    #expect(sent.transferred == 6 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    #expect(temporaryFiles(server) == [])
  }

  @Test(
    "succeeds when another client uploads the same image first",
    arguments: ["", " -P posix-rename,fsync,statvfs,limits,lsetstat,hardlink"])
  func second(options arguments: String) throws {
    let server = try SFTPServer(sftp: "/usr/lib/openssh/sftp-server" + arguments)
    let here = Scratch()
    let image = try here.add(1)
    let connection = try server.remote().connect()
    guard
      case .missing(let action)? = try connection.query(.upload, about: [ImageObject(image)]).first
    else {
      Issue.record("the image exists before it is sent")
      return
    }
    try server.put(here.bytes(of: image.id), as: image.id)
    try connection.send(
      ImageObject(image), from: here.store.path(of: image.id), action, progress: { _ in })
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(temporaryFiles(server) == [])
  }

  @Test("removes cairn's temporary files that are older than a day, and nothing else")
  func sweeps() throws {
    let server = try SFTPServer()
    let here = Scratch()
    let tmp = server.directory.appending("tmp").string
    try FileManager.default.createDirectory(atPath: tmp, withIntermediateDirectories: true)
    let id = String(repeating: "ab", count: 32)
    let names = ["\(id).old", "\(id).new", "cairn-old", "\(id).OLD", "old"]
    for name in names {
      let path = tmp + "/" + name
      try Data([1]).write(to: URL(filePath: path))
      let age = name.hasSuffix("new") ? 23.0 : 25.0
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age * 3600)], ofItemAtPath: path)
    }
    _ = try ImageTransfer(server.remote(), here.store, .quick()).send([here.add(1)])
    #expect(Set(temporaryFiles(server)) == Set(names.dropFirst()))
  }

  @Test("stops when it is canceled while the server does not respond")
  func cancelled() throws {
    let server = try SFTPServer()
    try server.box.write("#!/bin/sh\nexec sleep 60\n", to: "ssh", isProgram: true)
    let error = try refusal(server) {
      $0.callSSH(server.box.root.appending("ssh").string)
      $0.isCancelled = { true }
    }
    #expect(error.cause.kind == .cancelled)
  }

  @Test("continues an upload that was killed, unless the uploaded part is damaged")
  func continues() throws {
    let server = try SFTPServer()
    let here = Scratch()
    let images = try [1, 2, 3].map { try here.add($0, size: 1_000_000) }
    let tmp = server.directory.appending("tmp")
    try FileManager.default.createDirectory(atPath: tmp.string, withIntermediateDirectories: true)
    for (image, count) in zip(images, [700_000, 700_000, 1_000_000]) {
      var bytes = Array(try #require(here.bytes(of: image.id)).prefix(count))
      if image.id == images[1].id { bytes[300_000] ^= 1 }
      let path = tmp.appending("\(image.id).0abc").string
      try Data(bytes).write(to: URL(filePath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600), .posixPermissions: 0o444],
        ofItemAtPath: path)
    }
    let log = server.box.root.appending("sent")
    let remote = try server.remote {
      $0.callSSH("tee \(log)-$$ | \(server.ssh.command())")
    }
    let sent = try ImageTransfer(remote, here.store, .quick()).send(images)
    #expect(sent.transferred == 3 && sent.failure == nil, "\(sent)")
    for image in images {
      #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
      let attributes = try FileManager.default.attributesOfItem(
        atPath: server.store.path(of: image.id).string)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o444)
    }
    // All of the damaged one, and the rest of the others.
    let count = try server.box.succeed("sh", ["-c", "cat sent-* | wc -c"]).word
    #expect((1_300_000..<1_500_000).contains(try #require(Int(count))), "\(count)")
    #expect(temporaryFiles(server) == [])
  }

  @Test("verifies images with sha256sum where programs can be run, and otherwise by reading them")
  func checksums() throws {
    let server = try SFTPServer()
    let here = Scratch()
    let images = try (0..<3).map { try here.add($0, size: 1_000_000) }
    #expect(try ImageTransfer(server.remote(), here.store, .quick()).send(images).transferred == 3)
    func verify() throws -> (report: ImageReport, bytes: Int) {
      let log = "received-\(UUID().uuidString)"
      let remote = try server.remote {
        $0.callSSH(
          "received() { \(server.ssh.command()) \"$@\" | tee \(server.box.path(log))-$$; }; received"
        )
      }
      let report = try ImageTransfer(remote, here.store, .quick()).verify(images)
      let count = try server.box.succeed("sh", ["-c", "cat \(log)-* | wc -c"]).word
      return (report, try #require(Int(count)))
    }
    let whole = try verify()
    #expect(whole.report.known.count == 3 && whole.report.failure == nil, "\(whole)")
    #expect(whole.bytes < 100_000, "\(whole.bytes)")

    // The damaged one is read.
    var damaged = try #require(here.bytes(of: images[1].id))
    damaged[500_000] ^= 1
    try server.put(damaged, as: images[1].id)
    let found = try verify()
    #expect(found.report.damaged == [images[1].id] && found.report.known.count == 2, "\(found)")
    #expect(found.bytes > 1_000_000, "\(found.bytes)")
    try server.put(here.bytes(of: images[1].id), as: images[1].id)

    // An account that may only use sftp.
    let key = try server.box.text("user_key.pub")
    try server.box.write("command=\"internal-sftp\" \(key)", to: "authorized_keys")
    let read = try verify()
    #expect(read.report.transferred == 3 && read.report.failure == nil, "\(read)")
    #expect(read.bytes > 3_000_000, "\(read.bytes)")
  }

  @Test("removes what an interrupted upload of an encrypted image left, without reading it")
  func encryptedLeftover() throws {
    let server = EncryptedServer(try SFTPServer())
    let sftp = try #require(server.server as? SFTPServer)
    let here = Scratch()
    let image = try here.add(1, size: 1_000_000)
    let tmp = sftp.directory.appending("tmp")
    try FileManager.default.createDirectory(atPath: tmp.string, withIntermediateDirectories: true)
    let path = tmp.appending("\(server.name(of: image.id)).0abc").string
    try Data(server.encrypted(sampleBytes(1, size: 700_000))).write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    let log = sftp.box.root.appending("received")
    let remote = EncryptedImages(
      try sftp.remote {
        $0.callSSH("received() { \(sftp.ssh.command()) \"$@\" | tee \(log)-$$; }; received")
      },
      server.identity, staging: here.store)
    let sent = try ImageTransfer(remote, here.store, .quick()).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(temporaryFiles(sftp) == [])
    let count = try sftp.box.succeed("sh", ["-c", "cat received-* | wc -c"]).word
    #expect(try #require(Int(count)) < 100_000, "\(count)")
  }
}
