import CairnDocument
import CairnFiles
import CairnHTTP
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// The kinds of image remotes, which must all pass the same tests.
enum ImageRemoteKind: String, CaseIterable, CustomTestStringConvertible {
  case directory, lfs, lfsTransfer, sftp, s3
  /// The sftp server of ProFTPD.
  case proFTPD
  /// OpenStack Swift, through its S3 API.
  case openStack
  /// rclone's WebDAV server, and Apache's.
  case webDAV, apache
  /// A storage of rclone's.
  case rclone
  case encryptedDirectory, encryptedSFTP, encryptedS3, encryptedWebDAV

  static let available = allCases.filter(\.isAvailable)

  private var isAvailable: Bool {
    switch self {
    case .directory, .lfsTransfer: true
    case .lfs: Giftless.isInstalled
    case .sftp: SSHServer.isInstalled
    case .s3, .encryptedS3: S3Program.isMotoInstalled
    case .proFTPD: ProFTPDServer.isInstalled
    case .openStack: OpenStackSwift.isUsable
    case .webDAV, .rclone, .encryptedWebDAV: Rclone.isInstalled
    case .apache: Apache.isInstalled
    case .encryptedDirectory: true
    case .encryptedSFTP: SSHServer.isInstalled
    }
  }

  func start() throws -> any ImageServer {
    switch self {
    case .directory: try DirectoryServer()
    case .lfs: try LFSServer()
    case .lfsTransfer: try LFSTransferServer()
    case .sftp: try SFTPServer()
    case .s3: try S3Server()
    case .proFTPD: try ProFTPDServer()
    case .openStack: try OpenStackServer()
    case .webDAV: try RcloneWebDAVServer()
    case .apache: try ApacheServer()
    case .rclone: try RcloneStorage()
    case .encryptedDirectory: EncryptedServer(try DirectoryServer())
    case .encryptedSFTP: EncryptedServer(try SFTPServer())
    case .encryptedS3: EncryptedServer(try S3Server())
    case .encryptedWebDAV: EncryptedServer(try RcloneWebDAVServer())
    }
  }

  /// Whether only the server's administrator can replace or delete an object.
  var keepsObjects: Bool { self == .lfs || self == .lfsTransfer }

  var testDescription: String { rawValue }
}

@Suite("Servers for images")
struct ImageServerTests {
  @Test("finds an installed server of every kind, and age")
  func installed() {
    #expect(Giftless.isInstalled, Giftless.missing)
    #expect(S3Program.isMotoInstalled, S3Program.missing)
    #expect(OpenStackSwift.isInstalled, OpenStackSwift.missing)
    #expect(ProFTPDServer.isInstalled, ProFTPDServer.missing)
    #expect(Rclone.isInstalled, Rclone.missing)
    #expect(Apache.isInstalled, Apache.missing)
    #expect(Age.isInstalled, Age.missing)
  }
}

@Suite("Image remotes")
struct ImageRemoteTests {
  @Test("sends images and receives them byte for byte", arguments: ImageRemoteKind.available)
  func roundTrip(_ kind: ImageRemoteKind) throws {
    let (server, here, there) = (try kind.start(), Scratch(), Scratch())
    let images = try [1, 1000, 1 << 16, 3_000_000].enumerated().map {
      try here.add(UInt8($0), size: $1)
    }
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
    #expect(sent.failure == nil)
    #expect(sent.transferred == 4)
    #expect(sent.bytes == images.reduce(0) { $0 + $1.size })
    for image in images { #expect(try server.bytes(of: image.id).map(pointer(to:)) == image) }

    let received = try ImageTransfer(server.remote(), there.store, .quick()).receive(images)
    #expect(received.transferred == 4 && received.failure == nil)
    for image in images { #expect(there.bytes(of: image.id).map(pointer(to:)) == image) }
    let left = try FileManager.default.contentsOfDirectory(
      atPath: there.store.directory.appending("incomplete").string)
    #expect(left.isEmpty)
  }

  @Test(
    "transfers only missing images and reports those that are nowhere",
    arguments: ImageRemoteKind.available)
  func onlyMissing(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let images = try (0..<20).map { try here.add($0) }
    let remote = try server.remote()
    #expect(
      try ImageTransfer(remote, here.store, .quick()).send(Array(images[..<15])).transferred == 15)
    let nowhere = pointer(to: [9])
    let again = try ImageTransfer(remote, here.store, .quick()).send(images + [nowhere])
    #expect(again.transferred == 5 && again.known.count == 15)
    #expect(again.missing == [nowhere])

    let check = try ImageTransfer(remote, here.store, .quick()).check(images + [nowhere])
    #expect(Set(check.known.map(\.id)) == Set(images.map(\.id)) && check.missing == [nowhere])

    let there = Scratch()
    _ = try there.add(0)
    let received = try ImageTransfer(remote, there.store, .quick()).receive(images + [nowhere])
    #expect(received.transferred == 19 && received.missing == [nowhere])
  }

  @Test(
    "reports images that claim to be too large to exist as missing",
    arguments: [
      ImageRemoteKind.directory, .encryptedDirectory,
    ])
  func tooLarge(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let image = try here.add(1)
    let claims = [Int.max, Int.max - 1, 1 << 50 + 1].map {
      Pointer(id: pointer(to: [UInt8(truncatingIfNeeded: $0), 9]).id, size: $0)
    }
    let transfer = ImageTransfer(try server.remote(), here.store, .quick())
    let sent = try transfer.send(claims + [image])
    #expect(sent.transferred == 1 && sent.missing == claims && sent.failure == nil, "\(sent)")
    let received = try ImageTransfer(server.remote(), Scratch().store, .quick())
      .receive(claims + [image])
    #expect(received.transferred == 1 && received.missing == claims, "\(received)")
    #expect(try transfer.check(claims).missing == claims)
    #expect(try transfer.verify(claims).missing == claims)
    #expect(Pointer.totalSize(claims) == .max)
  }

  @Test(
    "verifies the content of the remote's images, and replaces damaged ones",
    arguments: ImageRemoteKind.available)
  func damagedCopies(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let images = try (0..<6).map { try here.add($0) }
    let before = ImageTransfer(try server.remote(), here.store, .quick())
    #expect(try before.send(images).transferred == images.count)
    let sound = try before.verify(images)
    #expect(sound.failure == nil && sound.missing.isEmpty, "\(sound)")
    // One byte changes, the size does not; another image is lost.
    var bytes = try #require(try server.bytes(of: images[2].id))
    bytes[500] ^= 1
    try server.put(bytes, as: images[2].id)
    try server.put(nil, as: images[4].id)
    // A server of rclone's remembers for a while what it has listed.
    let transfer = ImageTransfer(try server.remote(), here.store, .quick())
    let found = try transfer.verify(images)
    #expect(found.missing == [images[4]])
    // A checksum that the store keeps may show it as well as reading does.
    #expect(found.damaged == [images[2].id] || kind == .s3 && found.missing.contains(images[2]))

    let sent = try transfer.send(images, replacing: [images[2].id])
    #expect(sent.transferred == (kind.keepsObjects ? 1 : 2), "\(sent)")
    #expect((sent.failure != nil) == kind.keepsObjects)
    if !kind.keepsObjects { #expect(try transfer.verify(images).failure == nil) }
    #expect(here.bytes(of: images[2].id).map(pointer(to:)) == images[2])
  }

  @Test(
    "completes an interrupted download, even if its first bytes are wrong",
    arguments: ImageRemoteKind.available)
  func resumes(_ kind: ImageRemoteKind) throws {
    let (server, here, there) = (try kind.start(), Scratch(), Scratch())
    let image = try here.add(1, size: 500_000)
    _ = try ImageTransfer(server.remote(), here.store, .quick()).send([image])
    // The first bytes are right, or wrong.
    for head in [Array(sampleBytes(1, size: 500_000)[..<400_000]), sampleBytes(3, size: 700)] {
      let blob = there.store.path(of: image.id).string
      try? FileManager.default.removeItem(atPath: blob)
      let part = there.store.directory.appending("incomplete").appending("\(image.id).part")
      try FileManager.default.createDirectory(
        atPath: part.removingLastComponent().string, withIntermediateDirectories: true)
      try Data(head).write(to: URL(filePath: part.string))
      let moved = Mutex(0)
      let received = try ImageTransfer(
        server.remote(), there.store,
        .quick { $0.progress = { progress in moved.withLock { $0 = max($0, progress.bytes) } } }
      ).receive([image])
      #expect(received.transferred == 1 && received.failure == nil)
      #expect(there.bytes(of: image.id).map(pointer(to:)) == image)
      #expect(moved.withLock { $0 } == 500_000)
    }
  }

  @Test(
    "never stores wrong bytes under an image's name, on either side",
    arguments: ImageRemoteKind.available)
  func damaged(_ kind: ImageRemoteKind) throws {
    let (server, here, there) = (try kind.start(), Scratch(), Scratch())
    let image = try here.add(1, size: 5000)
    // Of the right length; too short; too long.
    for wrong in [
      sampleBytes(2, size: 5000), sampleBytes(1, size: 4000), sampleBytes(1, size: 6000),
    ] {
      try server.put(wrong, as: image.id)
      let received = try ImageTransfer(
        server.remote(), there.store, .quick { $0.retries.attempts = 2 }
      ).receive([image])
      #expect(received.transferred == 0)
      #expect(received.failure != nil || received.missing == [image])
      #expect(there.bytes(of: image.id) == nil)
    }

    try server.put(nil, as: image.id)
    let blob = here.store.path(of: image.id).string
    try FileManager.default.removeItem(atPath: blob)
    try Data(sampleBytes(7, size: 5000)).write(to: URL(filePath: blob))
    #expect(throws: StoreError.self) {
      try ImageTransfer(server.remote(), here.store, .quick()).send([image])
    }
    // A server may keep the part that it received.
    #expect(try server.bytes(of: image.id)?.count ?? 0 < image.size)
  }

  // moto refuses even botocore's signature of a list of versions; `S3EraseTests` has a stricter bucket.
  @Test(
    "erases images, and counts those that are gone as erased",
    arguments: ImageRemoteKind.available.filter { ![.s3, .encryptedS3].contains($0) })
  func erases(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let images = try (0..<3).map { try here.add($0) }
    _ = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
    let nowhere = pointer(to: [9])
    // Twice: what is gone counts as erased.
    for _ in 0..<2 {
      let transfer = ImageTransfer(try server.remote(), here.store, .quick())
      let report = try transfer.erase([images[0], nowhere, images[2]])
      #expect(report.failed.isEmpty, "\(report.failed)")
      if kind.keepsObjects {
        #expect(report.kept == [images[0], images[2]] && report.erased == [nowhere])
      } else {
        #expect(report.kept.isEmpty && report.erased == [images[0], nowhere, images[2]])
        #expect(try server.bytes(of: images[0].id) == nil)
        #expect(try server.bytes(of: images[2].id) == nil)
      }
      #expect(try server.bytes(of: images[1].id) != nil)
    }
    let check = try ImageTransfer(server.remote(), here.store, .quick()).check(images)
    #expect(kind.keepsObjects || check.known == [images[1]])
    // What an administrator of a Git LFS server has deleted.
    for image in images { try server.put(nil, as: image.id) }
    let found = try ImageTransfer(server.remote(), here.store, .quick()).findErased(images)
    #expect(found.erased == images && found.failed.isEmpty, "\(found)")
    // A server of rclone's remembers for a while what it has listed.
    guard
      [.directory, .sftp, .proFTPD, .openStack, .apache, .encryptedDirectory, .encryptedSFTP]
        .contains(kind)
    else { return }
    // A truncated copy that another program has put there.
    try server.put(sampleBytes(0, size: 10), as: images[0].id)
    let truncated = try ImageTransfer(server.remote(), here.store, .quick()).findErased(images)
    #expect(truncated.kept == [images[0]] && truncated.failed.isEmpty, "\(truncated)")
  }

  @Test("reports the total progress of parallel transfers", arguments: ImageRemoteKind.available)
  func progress(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let images = try (0..<40).map { try here.add($0, size: 10_000) }
    _ = try ImageTransfer(server.remote(), here.store, .quick()).send(Array(images[..<10]))
    let last = Mutex<ImageProgress?>(nil)
    _ = try ImageTransfer(
      server.remote(), here.store,
      .quick { $0.progress = { progress in last.withLock { $0 = progress } } }
    ).send(images)
    let end = try #require(last.withLock { $0 })
    #expect(end.images == 30 && end.totalImages == 30)
    #expect(end.bytes == 300_000 && end.totalBytes == 300_000)
  }
}
