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
  "Images over sftp, with OpenSSH at both ends",
  .enabled(if: SSHServer.isInstalled, SSHServer.missing))
struct SFTPTests {
  /// Returns why nothing can be sent.
  private func refusal(
    _ server: SFTPServer, _ change: (inout TransportContext) -> Void = { _ in }
  ) throws -> TransferError {
    let here = try Scratch()
    let images = try (0..<3).map { try here.add($0, size: 300_000) }
    let report = try ImageTransfer(server.remote(change), here.store, .quick()).send(images)
    #expect(report.moved == 0)
    return try #require(report.failure)
  }

  private func temporaryFiles(_ server: SFTPServer) -> [String] {
    let path = server.directory.appending("tmp").string
    return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  @Test("a wrong key and a host that is not known are told at once, and concern all images")
  func notAdmitted() throws {
    let server = try SFTPServer()
    let stranger = try refusal(server) { $0.callSSH(server.ssh.command(key: "stranger_key")) }
    #expect(stranger.cause.kind == .authentication && stranger.scope == .remote)
    #expect(!stranger.isTransient)
    let unknown = try refusal(server) { $0.callSSH(server.ssh.command(knownHosts: "nobody")) }
    #expect(unknown.cause.kind == .untrusted && unknown.scope == .remote && !unknown.isTransient)
  }

  @Test("a wrong password is asked for once, however many lines there are")
  func askedOnce() throws {
    let server = try SFTPServer()
    let calls = server.place.root.appending("calls")
    try server.place.write(
      "#!/bin/sh\necho >> \(calls)\necho 'ann@h: Permission denied (password).' >&2\nexit 255\n",
      to: "ssh", isProgram: true)
    let error = try refusal(server) { $0.callSSH(server.place.root.appending("ssh").string) }
    #expect(error.cause.kind == .authentication)
    #expect(try server.place.read("calls") == "\n")
  }

  @Test("a right password is asked for once, and then the lines take turns")
  func takesTurns() throws {
    let server = try SFTPServer()
    try server.place.write(
      """
      #!/bin/bash
      if [[ "$*" == *BatchMode=yes* ]]; then
        echo 'ann@h: Permission denied (publickey,password).' >&2; exit 255
      fi
      echo >> \(server.place.root)/calls
      exec /usr/lib/openssh/sftp-server

      """, to: "ssh", isProgram: true)
    let here = try Scratch()
    let images = try (0..<30).map { try here.add($0, size: 50_000) }
    let remote = try server.remote { $0.callSSH(server.place.root.appending("ssh").string) }
    #expect(try ImageTransfer(remote, here.store, .quick()).send(images).moved == 30)
    #expect(try ImageTransfer(remote, here.store, .quick()).check(images).known.count == 30)
    #expect(try server.place.read("calls") == "\n")
    #expect(try wrongObjects(in: server.store) == [])
  }

  @Test("where nobody listens, and where sftp is not offered")
  func notThere() throws {
    let server = try SFTPServer(sftp: nil)
    let none = try refusal(server)
    #expect(none.cause.kind == .noProgram && none.scope == .remote, "\(none)")
    let port = try freePort()
    let here = try Scratch()
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

  @Test("a directory that may only be read gives images, and takes none")
  func readOnly() throws {
    let server = try SFTPServer(sftp: "internal-sftp -R")
    let error = try refusal(server)
    #expect(error.cause.kind == .forbidden && error.scope == .remote && !error.isTransient)
    let there = try Scratch()
    let bytes = sampleBytes(1, size: 100_000)
    try server.put(bytes, as: pointer(to: bytes).id)
    let came = try ImageTransfer(server.remote(), there.store, .quick())
      .receive([pointer(to: bytes)])
    #expect(came.moved == 1 && there.bytes(of: pointer(to: bytes).id) == bytes)
  }

  @Test("a file that may not grow, and a disk that is full, leave nothing behind")
  func full() throws {
    let limited = try SFTPServer()
    try limited.place.write(
      "#!/bin/bash\ntrap '' XFSZ; ulimit -f 100; exec /usr/lib/openssh/sftp-server\n", to: "ssh",
      isProgram: true)
    let error = try refusal(limited) { $0.callSSH(limited.place.root.appending("ssh").string) }
    #expect(error.scope == .remote && !error.isTransient, "\(error)")
    #expect(error.cause.reason.contains("Failure"), "\(error)")
    #expect(temporaryFiles(limited) == [], "\(error)")
    #expect(try wrongObjects(in: limited.store) == [])
  }

  /// Only root mounts; `make test` in a container does.
  @Test(
    "a full disk is called that", .enabled(if: getuid() == 0, "mounting a small disk takes root"))
  func fullDisk() throws {
    let server = try SFTPServer()
    try FileManager.default.createDirectory(
      atPath: server.directory.string, withIntermediateDirectories: true)
    let mounted = try server.place.run(
      "mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", server.directory.string])
    try #require(mounted.status == 0, "\(mounted.all)")
    defer { _ = try? server.place.run("umount", ["-l", server.directory.string]) }
    let error = try refusal(server)
    #expect(error.cause.kind == .full && error.scope == .remote && !error.isTransient, "\(error)")
    #expect(temporaryFiles(server) == [])
    let again = try server.place.run(
      "mount", ["-o", "remount,ro", server.directory.string])
    try #require(again.status == 0, "\(again.all)")
    let readOnly = try refusal(server)
    #expect(readOnly.cause.kind == .forbidden, "\(readOnly)")
    #expect(readOnly.cause.reason.contains("read-only"), "\(readOnly)")
  }

  @Test("a directory is made for the images, but none above it")
  func makesDirectory() throws {
    let server = try SFTPServer()
    let here = try Scratch()
    let image = try here.add(1)
    let context = try server.context()
    let base = "sftp://\(NSUserName())@127.0.0.1:\(server.ssh.port)"
    let new = server.place.root.appending("new dir")
    let remote = try SFTPImages(
      SSHAddress(sftp: base + new.string.replacingOccurrences(of: " ", with: "%20")), context)
    #expect(try ImageTransfer(remote, here.store, .quick()).send([image]).moved == 1)
    let store = BlobStore(directory: new, environment: .machine)
    #expect(try store.isIntact(image.id) == true)
    #expect(
      try FileManager.default.attributesOfItem(atPath: store.path(of: image.id).string)[
        .posixPermissions] as? Int == 0o444)

    let far = try SFTPImages(
      SSHAddress(sftp: "\(base)\(server.place.root)/no/such/dir"), context)
    let report = try ImageTransfer(far, here.store, .quick()).send([image])
    #expect(report.failure?.cause.kind == .noRepository, "\(String(describing: report.failure))")
    #expect(!FileManager.default.fileExists(atPath: server.place.root.appending("no").string))
  }

  @Test("a path below the user's home")
  func home() throws {
    let server = try SFTPServer()
    let (here, there) = (try Scratch(), try Scratch())
    let image = try here.add(1)
    // The home is where a session begins, whatever this account's is.
    try server.place.write(
      "#!/bin/sh\ncd \(server.place.root)/home && exec /usr/lib/openssh/sftp-server\n", to: "ssh",
      isProgram: true)
    var context = try server.context()
    context.callSSH(server.place.root.appending("ssh").string)
    for (path, place) in [("/~/images", "images"), ("/~", ".")] {
      let address = try SSHAddress(sftp: "sftp://ann@h\(path)")
      let remote = try SFTPImages(address, context)
      #expect(try ImageTransfer(remote, here.store, .quick()).send([image]).moved == 1)
      let store = BlobStore(
        directory: server.place.root.appending("home").pushing(FilePath(place)),
        environment: .machine)
      #expect(try store.isIntact(image.id) == true)
      #expect(try ImageTransfer(remote, there.store, .quick()).check([image]).known.count == 1)
    }
    #expect(throws: TransportError.self) {
      try SFTPImages(SSHAddress(sftp: "sftp://h/~bob/images"), context)
    }
  }

  @Test("a server with nothing but the protocol of 2001 is enough")
  func withoutExtensions() throws {
    let server = try SFTPServer(
      sftp: "/usr/lib/openssh/sftp-server -P posix-rename,fsync,statvfs,limits,lsetstat,hardlink")
    let here = try Scratch()
    let images = try (0..<6).map { try here.add($0, size: 70_000) }
    // Something else has the name of one.
    try server.put([1, 2, 3], as: images[2].id)
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
    #expect(sent.moved == 6 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    #expect(temporaryFiles(server) == [])
  }

  @Test(
    "who is second with an image succeeds, too",
    arguments: ["", " -P posix-rename,fsync,statvfs,limits,lsetstat,hardlink"])
  func second(options arguments: String) throws {
    let server = try SFTPServer(sftp: "/usr/lib/openssh/sftp-server" + arguments)
    let here = try Scratch()
    let image = try here.add(1)
    let line = try server.remote().connect()
    guard case .absent(let ticket)? = try line.ask(.upload, about: [image]).first else {
      Issue.record("it is there before it was sent")
      return
    }
    try server.put(here.bytes(of: image.id), as: image.id)
    try line.send(image, from: here.store.path(of: image.id), ticket, progress: { _ in })
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(temporaryFiles(server) == [])
  }

  @Test("what somebody left half, more than a day ago, is removed; nothing else is")
  func sweeps() throws {
    let server = try SFTPServer()
    let here = try Scratch()
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

  @Test("whoever stops is obeyed while a server says nothing")
  func cancelled() throws {
    let server = try SFTPServer()
    try server.place.write("#!/bin/sh\nexec sleep 60\n", to: "ssh", isProgram: true)
    let error = try refusal(server) {
      $0.callSSH(server.place.root.appending("ssh").string)
      $0.isCancelled = { true }
    }
    #expect(error.cause.kind == .cancelled)
  }
}
