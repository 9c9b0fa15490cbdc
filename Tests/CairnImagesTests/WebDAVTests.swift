import CairnDocument
import CairnHTTP
import CairnProcess
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages
@testable import CairnTransport

@Suite("WebDAV addresses and answers")
struct WebDAVFormatTests {
  @Test("reads the URLs of WebDAV stores, and shows no user name or password")
  func addresses() throws {
    for (text, base, shown) in [
      ("davs://h/a", "https://h/a", "davs://h/a"),
      ("dav://h:8080/a/", "http://h:8080/a", "dav://h:8080/a"),
      ("webdavs://ann@h/a b/ü", "https://h/a%20b/%C3%BC", "davs://h/a%20b/%C3%BC"),
      ("WEBDAV://ann:secret@h/a%20b", "http://h/a%20b", "dav://h/a%20b"),
      ("davs://h", "https://h", "davs://h"),
    ] {
      let address = try #require(try WebDAVAddress(text))
      #expect(address.directory.base == base && "\(address)" == shown)
      #expect(try ImageAddress(text) == .webDAV(address))
    }
    for other in ["https://h/a", "sftp://h/a", "/dav://", "s3://bucket"] {
      #expect(try WebDAVAddress(other) == nil)
    }
    for malformed in [
      "davs://", "davs://h/a?b", "davs://h/a#b", "davs://h/../a", "davs://h/%2E%2E/a",
    ] {
      #expect(throws: RemoteAddress.Malformed.self) { try WebDAVAddress(malformed) }
    }
  }

  @Test("reads the answers of rclone, Apache and Nextcloud, whatever their prefixes")
  func listings() {
    let rclone = """
      <?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:"><D:response>\
      <D:href>/tmp/</D:href><D:propstat><D:prop><D:resourcetype><D:collection xmlns:D="DAV:"/>\
      </D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat><D:propstat><D:prop>\
      <D:getcontentlength></D:getcontentlength></D:prop><D:status>HTTP/1.1 404 Not Found</D:status>\
      </D:propstat></D:response><D:response><D:href>/tmp/f%201</D:href><D:propstat><D:prop>\
      <D:getcontentlength>300000</D:getcontentlength>\
      <D:getlastmodified>Thu, 26 Nov 2026 11:26:45 GMT</D:getlastmodified><D:resourcetype>\
      </D:resourcetype></D:prop></D:propstat></D:response></D:multistatus>
      """
    let entries = WebDAVListing(Array(rclone.utf8)).entries
    #expect(entries.map(\.name) == ["tmp", "f 1"] && entries.map(\.isCollection) == [true, false])
    #expect(entries.map(\.size) == [nil, 300_000])
    #expect(entries[1].modified == 1_795_692_405_000)
    let apache = """
      <?xml version="1.0"?>\n<D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
      <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/">
      <D:href>/x</D:href><D:propstat><D:prop><lp1:getcontentlength>7</lp1:getcontentlength>
      <lp1:resourcetype/></D:prop></D:propstat></D:response></D:multistatus>
      """
    #expect(WebDAVListing(Array(apache.utf8)).entries.map(\.size) == [7])
    let nextcloud =
      #"<d:multistatus xmlns:d="DAV:"><d:response><d:href>/a/b</d:href><d:propstat><d:prop>"#
      + #"<d:getcontentlength>12</d:getcontentlength></d:prop></d:propstat></d:response>"#
    #expect(WebDAVListing(Array(nextcloud.utf8)).entries.first?.size == 12)
    for hostile in ["", "<", "<<<", "<response", "<a:response>", "<response><href>", "</response>"]
    {
      #expect(WebDAVListing(Array(hostile.utf8)).entries.allSatisfy { $0.size == nil })
    }
  }
}

@Suite("Images over WebDAV", .enabled(if: Rclone.isInstalled, Rclone.missing))
struct WebDAVTests {
  @Test("uploads to temporary files, and removes those that nobody continues")
  func temporaryFiles() throws {
    let (server, here) = (try RcloneWebDAVServer(), Scratch())
    let image = try here.add(1)
    let temporary = server.files.store.directory.appending("tmp")
    try FileManager.default.createDirectory(
      atPath: temporary.string, withIntermediateDirectories: true)
    let id = String(repeating: "ab", count: 32)
    for (name, age) in [("\(id).old", 25.0), ("\(id).new", 1), ("notes.txt", 25)] {
      let file = temporary.appending(name).string
      try Data("x".utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age * 3600)], ofItemAtPath: file)
    }
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil)
    let left = try FileManager.default.contentsOfDirectory(atPath: temporary.string)
    #expect(Set(left) == ["\(id).new", "notes.txt"])
    #expect(try wrongObjects(in: server.files.store).isEmpty)
  }

  @Test("never completes the upload of an image that is damaged here")
  func damagedHere() throws {
    let (server, here) = (try RcloneWebDAVServer(), Scratch())
    let image = try here.add(1, size: 600_000)
    let blob = here.store.path(of: image.id).string
    try FileManager.default.removeItem(atPath: blob)
    try Data(sampleBytes(2, size: 600_000)).write(to: URL(filePath: blob))
    #expect(throws: StoreError.self) {
      try ImageTransfer(server.remote(), here.store, .quick()).send([image])
    }
    // The server may keep what it received, but not under the name of an image.
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: server.files.store.directory.string)
    #expect(files.contains("tmp") && !files.contains("objects"))
    for file in files where file.hasPrefix("tmp/") {
      let path = server.files.store.directory.string + "/" + file
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      #expect(try #require(size) < image.size)
    }
  }

  @Test("reports a wrong password, a server without WebDAV and a missing directory")
  func refusals() throws {
    let (server, here) = (try RcloneWebDAVServer(), Scratch())
    let image = try here.add(1)
    func failure(_ url: String) throws -> TransportError? {
      let remote = WebDAVImages(try #require(try WebDAVAddress(url)), s3Context())
      return try ImageTransfer(remote, here.store, .quick(attempts: 2)).send([image]).cause
    }
    let wrong = try failure("dav://ann:wrong@127.0.0.1:\(server.port)/x")
    #expect(wrong?.kind == .authentication)
    #expect(wrong.map { !"\($0)".contains("wrong@") } == true)
    let login = "ann:the%20password%20of%20ann@127.0.0.1:\(server.port)"
    #expect(try failure("dav://\(login)/shelf%20of%20ann/x") == nil)
    // A web server that knows only GET and POST.
    let other = try PythonServer("CairnHTTPTests/server.py")
    let plain = try #require(try failure("dav://127.0.0.1:\(other.port)/x"))
    #expect([.protocolViolation, .serverError, .noRepository].contains(plain.kind), "\(plain)")
    #expect(try failure("dav://127.0.0.1:1/x")?.kind == .unreachable)
  }

  @Test("accepts credentials only when the server has checked them")
  func busyLogin() throws {
    let (server, here) = (try RcloneWebDAVServer(), Scratch())
    let image = try here.add(1)
    for status in [429, 502, 503] {
      let proxy = try FaultProxy(
        to: server.port, .requests([.init { ($0.status, $0.times) = (status, 100) }]))
      let cache = CredentialCache()
      for (port, isAccepted) in [(proxy.port, false), (server.port, true)] {
        let remote = try server.remote(port: port) { $0.credentialCache = cache }
        _ = try ImageTransfer(remote, here.store, .quick(attempts: 1)).check([image])
        let address = try #require(try server.address(port: port)).directory
        #expect((cache[address] != nil) == isAccepted, "\(status)")
      }
    }
  }

  @Test("sends an image once when two clients send it at the same time")
  func race() throws {
    let (server, here) = (try RcloneWebDAVServer(), Scratch())
    let image = try here.add(1)
    let connection = try server.remote(port: server.port).connect()
    let object = ImageObject(image)
    guard case .missing(let action) = try connection.query(.upload, about: [object]).first else {
      Issue.record("the image is there already")
      return
    }
    // Meanwhile, another client sends it, and then one that sends something else.
    for other in [sampleBytes(1, size: 1000), sampleBytes(1, size: 999)] {
      try server.put(other, as: image.id)
      try connection.send(object, from: here.store.path(of: image.id), action) { _ in }
      #expect(try server.bytes(of: image.id).map(pointer(to:)) == image)
    }
    let temporary = server.files.store.directory.appending("tmp").string
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  @Test("does not take a move that failed in part, or is not done yet, for an upload")
  func unfinishedMove() throws {
    for status in [202, 207] {
      let (server, here) = (try RcloneWebDAVServer(), Scratch())
      let proxy = try FaultProxy(
        to: server.port, .requests([.init("MOVE ") { $0.status = status }]))
      let image = try here.add(1)
      let remote = try server.remote(port: proxy.port)
      let sent = try ImageTransfer(remote, here.store, .quick()).send([image])
      #expect(sent.transferred == 0 && sent.cause?.reason.contains("\(status)") == true, "\(sent)")
      #expect(try server.bytes(of: image.id) == nil)

      // The image is there if another client has sent it, unless it was to be replaced.
      let connection = try remote.connect()
      let object = ImageObject(image)
      guard case .missing(var action) = try connection.query(.upload, about: [object]).first else {
        Issue.record("the image is there already")
        return
      }
      try server.put(sampleBytes(1, size: 1000), as: image.id)
      let again = try FaultProxy(
        to: server.port, .requests([.init("MOVE ") { ($0.status, $0.times) = (status, 2) }]))
      let other = try server.remote(port: again.port).connect()
      let blob = here.store.path(of: image.id)
      try other.send(object, from: blob, action) { _ in }
      action.replaces = true
      #expect(throws: TransferError.self) { try other.send(object, from: blob, action) { _ in } }
    }
  }
}

@Suite("Images in storage of rclone", .enabled(if: Rclone.isInstalled, Rclone.missing))
struct RcloneTests {
  @Test("names a configured remote, and nothing that runs a command")
  func addresses() throws {
    for text in ["rclone:drive:", "rclone:my box:a/b c", "rclone:s3-eu_1.a+b@c:bucket/walk"] {
      let address = try #require(try RcloneAddress(text))
      let parsed = try ImageAddress(text)
      #expect("\(address)" == text && parsed == .rclone(address))
    }
    for text in [
      "rclone:", "rclone:drive", "rclone::sftp,ssh=\"touch x\":", "rclone:drive,ssh=x:a",
      "rclone:-x:a", "rclone:/etc:a", "rclone: drive:a", "rclone:drive:../a", "rclone:drive:a\nb",
    ] {
      #expect(throws: RemoteAddress.Malformed.self, "\(text)") { try RcloneAddress(text) }
    }
    #expect(try RcloneAddress("drive:a") == nil)
  }

  @Test("reports what rclone says when it cannot start or is not installed")
  func refusals() throws {
    let (storage, here) = (try RcloneStorage(), Scratch())
    let image = try here.add(1)
    let unknown = try ImageTransfer(storage.remote("rclone:other:x"), here.store, .quick()).send([
      image
    ])
    let cause = try #require(unknown.cause)
    #expect(cause.kind == .unsupportedAddress && cause.address == "rclone:other:x")
    #expect(cause.reason.contains("didn't find section in config file"), "\(cause)")
    let missing = RcloneImages(
      try #require(try RcloneAddress("rclone:x:y")), program: nil, s3Context())
    let report = try ImageTransfer(missing, here.store, .quick()).receive([pointer(to: [1])])
    #expect(report.cause?.kind == .noProgram)
  }

  @Test("stores images whatever the user's variables say of caches and dry runs")
  func variables() throws {
    let storage = try RcloneStorage(variables: [
      "RCLONE_VFS_CACHE_MODE=full", "RCLONE_DRY_RUN=true", "RCLONE_READ_ONLY=true",
      "RCLONE_LOG_FILE=/dev/null",
    ])
    let here = Scratch()
    let image = try here.add(1)
    let sent = try ImageTransfer(storage.remote(), here.store, .quick()).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
    #expect(try storage.bytes(of: image.id).map(pointer(to:)) == image)
  }

  @Test("waits as long as the storage behind rclone needs")
  func slowStorage() throws {
    let (storage, here) = (try RcloneStorage(variables: ["RCLONE_BWLIMIT=60k"]), Scratch())
    let image = try here.add(1, size: 300_000)
    let remote = try storage.remote { $0.timeout.between = 1 }
    let sent = try ImageTransfer(remote, here.store, .quick(attempts: 1)).send([image])
    #expect(sent.transferred == 1 && sent.failure == nil, "\(sent)")
  }

  @Test("stores images in a bucket", .enabled(if: S3Program.isMotoInstalled, S3Program.missing))
  func bucket() throws {
    let (here, there) = (Scratch(), Scratch())
    // This moto checks no signatures: it gets those wrong that rclone makes for a “/” in a query.
    let (port, moto) = try startServer("moto") { port in
      try ChildProcess(
        "sh",
        [
          "-c", "exec \"$@\" >/dev/null 2>&1", "sh", S3Program.python, "-m", "moto.server", "-p",
          "\(port)",
        ])
    }
    defer { withExtendedLifetime(moto) {} }
    // This rclone cannot be given certificates.
    let storage = try RcloneStorage(
      type: """
        s3
        provider = Other
        endpoint = http://127.0.0.1:\(port)
        region = eu-west-1
        access_key_id = AKIA
        secret_access_key = secret
        """, variables: ["AWS_CA_BUNDLE="])
    let remote = try storage.remote("rclone:my box:walk/images of ann")
    // rclone sends larger ones in parts, which this moto does not take.
    let images = try (0..<3).map { try here.add($0) } + [here.add(9, size: 90_000)]
    let transfer = ImageTransfer(remote, here.store, .quick())
    let sent = try transfer.send(images)
    #expect(sent.transferred == 4 && sent.failure == nil, "\(sent)")
    #expect(try transfer.send(images).known.count == 4)
    let verified = try transfer.verify(images)
    #expect(verified.failure == nil && verified.missing.isEmpty, "\(verified)")
    let received = try ImageTransfer(remote, there.store, .quick()).receive(images)
    #expect(received.transferred == 4 && received.failure == nil, "\(received)")
    for image in images { #expect(there.bytes(of: image.id) == here.bytes(of: image.id)) }
  }

  @Test("starts rclone again when it ends too early, once")
  func restarts() throws {
    let (storage, here) = (try RcloneStorage(), Scratch())
    let images = try (0..<3).map { try here.add($0) }
    let transfer = ImageTransfer(try storage.remote(), here.store, .quick())
    #expect(try transfer.send([images[0]]).transferred == 1)
    try storage.killServer()
    #expect(try transfer.send([images[1]]).transferred == 1)
    try storage.killServer()
    let failed = try transfer.send([images[2]])
    #expect(failed.transferred == 0 && failed.cause?.kind == .serverError, "\(failed)")
  }

  @Test("ends rclone when the remote is released")
  func ends() throws {
    let (storage, here) = (try RcloneStorage(), Scratch())
    let image = try here.add(1)
    let marker = "\(storage.files.store.directory)"
    func isRunning() -> Bool {
      let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return processes.contains { name in
        guard Int(name) != nil,
          let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
        else { return false }
        return String(decoding: line, as: UTF8.self).contains("my box:\(marker)")
      }
    }
    do {
      let remote = try storage.remote()
      #expect(try ImageTransfer(remote, here.store, .quick()).send([image]).transferred == 1)
      #expect(isRunning())
    }
    wait { !isRunning() }
    #expect(!isRunning())
  }
}
