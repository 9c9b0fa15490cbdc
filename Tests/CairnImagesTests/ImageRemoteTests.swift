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
  private func options(_ change: (inout ImageTransfer.Options) -> Void = { _ in })
    -> ImageTransfer.Options
  {
    var options = ImageTransfer.Options()
    options.retries.firstDelayMilliseconds = 1
    options.retries.longestDelayMilliseconds = 20
    change(&options)
    return options
  }

  @Test("sends images and receives them byte for byte", arguments: ImageRemoteKind.available)
  func roundTrip(_ kind: ImageRemoteKind) throws {
    let (server, here, there) = (try kind.start(), Scratch(), Scratch())
    let images = try [1, 1000, 1 << 16, 3_000_000].enumerated().map {
      try here.add(UInt8($0), size: $1)
    }
    let sent = try ImageTransfer(server.remote(), here.store, options()).send(images)
    #expect(sent.failure == nil)
    #expect(sent.transferred == 4)
    #expect(sent.bytes == images.reduce(0) { $0 + $1.size })
    for image in images { #expect(try server.bytes(of: image.id).map(pointer(to:)) == image) }

    let received = try ImageTransfer(server.remote(), there.store, options()).receive(images)
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
      try ImageTransfer(remote, here.store, options()).send(Array(images[..<15])).transferred == 15)
    let nowhere = pointer(to: [9])
    let again = try ImageTransfer(remote, here.store, options()).send(images + [nowhere])
    #expect(again.transferred == 5 && again.known.count == 15)
    #expect(again.missing == [nowhere])

    let check = try ImageTransfer(remote, here.store, options()).check(images + [nowhere])
    #expect(Set(check.known.map(\.id)) == Set(images.map(\.id)) && check.missing == [nowhere])

    let there = Scratch()
    _ = try there.add(0)
    let received = try ImageTransfer(remote, there.store, options()).receive(images + [nowhere])
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
    let transfer = ImageTransfer(try server.remote(), here.store, options())
    let sent = try transfer.send(claims + [image])
    #expect(sent.transferred == 1 && sent.missing == claims && sent.failure == nil, "\(sent)")
    let received = try ImageTransfer(server.remote(), Scratch().store, options())
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
    let before = ImageTransfer(try server.remote(), here.store, options())
    #expect(try before.send(images).transferred == images.count)
    let sound = try before.verify(images)
    #expect(sound.failure == nil && sound.missing.isEmpty, "\(sound)")
    // One byte changes, the size does not; another image is lost.
    var bytes = try #require(try server.bytes(of: images[2].id))
    bytes[500] ^= 1
    try server.put(bytes, as: images[2].id)
    try server.put(nil, as: images[4].id)
    // A server of rclone's remembers for a while what it has listed.
    let transfer = ImageTransfer(try server.remote(), here.store, options())
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
    _ = try ImageTransfer(server.remote(), here.store, options()).send([image])
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
        options { $0.progress = { progress in moved.withLock { $0 = max($0, progress.bytes) } } }
      ).receive([image])
      #expect(received.transferred == 1 && received.failure == nil)
      #expect(there.bytes(of: image.id).map(pointer(to:)) == image)
      #expect(moved.withLock { $0 } == 500_000)
    }
  }

  @Test(
    "reports a full disk, a lost one and a failing one of a directory store differently",
    arguments: [.diskQuotaExceeded, .noSpace, .staleNFSFileHandle, .fileTooLarge, .ioError]
      as [Errno])
  func directoryErrors(code: Errno) throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let image = try here.add(1)
    try server.store.prepare()
    var environment = Environment.machine
    environment.files = FileSystem { (step, path) throws(FileError) in
      if case .write = step { throw FileError("write", path, code) }
    }
    let remote = DirectoryImages(
      BlobStore(directory: server.store.directory, environment: environment))
    let send = { try ImageTransfer(remote, here.store, options()).send([image]) }
    switch code {
    case .diskQuotaExceeded, .noSpace: #expect(try send().cause?.kind == .noSpace)
    case .staleNFSFileHandle: #expect(try send().cause?.kind == .connectionLost)
    default: #expect(throws: FileError.self) { try send() }
    }
  }

  /// Returns a store in a directory whose disk may fail.
  private func remote(
    _ store: BlobStore, syncsTogether: Bool? = nil,
    _ fault: @escaping @Sendable (FileSystem.Step, FilePath) throws(FileError) -> Void
  ) -> DirectoryImages {
    var environment = Environment.machine
    environment.files = FileSystem(fault: fault)
    return DirectoryImages(
      BlobStore(directory: store.directory, environment: environment), syncsTogether: syncsTogether)
  }

  @Test("stores an image in a directory only when its disk has the bytes and the name")
  func durableCopies() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let image = try here.add(1)
    try server.store.prepare()
    let directory = server.store.directory
    let leaf = server.store.path(of: image.id).removingLastComponent()
    let full = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step, path.starts(with: directory.appending("tmp")) {
        throw FileError("write", path, .noSpace)
      }
    }
    #expect(try ImageTransfer(full, here.store, options()).send([image]).cause?.kind == .noSpace)
    let broken = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { throw FileError("write", path, .ioError) }
    }
    #expect(throws: FileError.self) {
      try ImageTransfer(broken, here.store, options()).send([image])
    }
    #expect(try server.bytes(of: image.id) == nil)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: directory.appending("tmp").string)
    #expect(left.isEmpty, "\(left)")

    let nameless = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step, path == leaf { throw FileError("write", path, .ioError) }
    }
    #expect(throws: FileError.self) {
      try ImageTransfer(nameless, here.store, options()).send([image])
    }
    try server.put(nil, as: image.id)

    let synced = Mutex<[FilePath]>([])
    let watched = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { synced.withLock { $0.append(path) } }
    }
    #expect(try ImageTransfer(watched, here.store, options()).send([image]).transferred == 1)
    let paths = synced.withLock { $0 }
    #expect(paths.first?.removingLastComponent() == directory.appending("tmp"))
    #expect(
      paths.dropFirst() == [
        leaf, leaf.removingLastComponent(), directory.appending("objects"), directory,
      ], "\(paths)")
  }

  @Test(
    "syncs the directories of a directory store once per connection, and those with new ones again")
  func syncsOnce() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let directory = server.store.directory
    let images = try (0..<10).map { try here.add($0) }
    let leaves = images.map { server.store.path(of: $0.id).removingLastComponent() }
    let parents = leaves.map { $0.removingLastComponent() }
    let synced = Mutex<[FilePath]>([])
    let watched = remote(server.store, syncsTogether: false) { (step, path) throws(FileError) in
      if case .sync = step { synced.withLock { $0.append(path) } }
    }
    func send() throws {
      let transfer = ImageTransfer(watched, here.store, options { $0.connections = 1 })
      #expect(try transfer.send(images).transferred == images.count)
    }
    try send()
    let created = synced.withLock { $0 }
    let objects = directory.appending("objects")
    let names: [(FilePath, FilePath)] =
      Array(zip(leaves, parents)) + parents.map { ($0, objects) } + [(objects, directory)]
    // Each directory is synced before the one that has its name.
    for (below, above) in names {
      let first = try #require(created.firstIndex(of: below), "\(created)")
      let last = try #require(created.lastIndex(of: above), "\(created)")
      #expect(first < last, "\(created)")
    }

    // The directories are there now.
    for image in images { try server.put(nil, as: image.id) }
    synced.withLock { $0 = [] }
    try send()
    let known = synced.withLock { $0 }
    let temporary = known.filter { $0.removingLastComponent() == directory.appending("tmp") }
    #expect(temporary.count == images.count, "\(known)")
    let above = Set(parents + [objects, directory])
    #expect(known.count == 2 * images.count + above.count, "\(known)")
    #expect(Set(known).isSuperset(of: above.union(leaves)), "\(known)")
  }

  @Test(
    "syncs the disk of a directory store twice for small images: for their bytes and for their names",
    .enabled(if: SyncedFileSystem.isPossible, "the system cannot sync files together"))
  func syncsTogether() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    try server.store.prepare()
    let images = try (0..<40).map { try here.add($0) }
    let paths = images.map { server.store.path(of: $0.id).string }
    let temporary = server.store.directory.appending("tmp")
    @Sendable func stored() -> Int {
      paths.count { FileManager.default.fileExists(atPath: $0) }
    }
    for failing in [0, 1, nil] {
      let seen = Mutex<[Int]>([])
      let synced = Mutex<Set<FilePath>>([])
      let watched = remote(server.store, syncsTogether: true) { (step, path) throws(FileError) in
        guard case .sync = step else { return }
        guard path == temporary else { return synced.withLock { _ = $0.insert(path) } }
        let count = stored()
        let number = seen.withLock {
          $0.append(count)
          return $0.count - 1
        }
        if number == failing { throw FileError("write", path, .ioError) }
      }
      let transfer = ImageTransfer(watched, here.store, options { $0.connections = 1 })
      #expect(try transfer.send(images).transferred == images.count)
      // When a disk fails to have the bytes, no image has its name.
      #expect(seen.withLock { $0 } == (failing == 0 ? [0] : [0, images.count]))
      // After a failure, the images are sent one by one, with a sync of each name.
      let leaves = Set(paths.map { FilePath($0).removingLastComponent() })
      #expect(synced.withLock { failing == nil ? $0.isEmpty : $0.isSuperset(of: leaves) })
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.string).isEmpty)
      for image in images { try server.put(nil, as: image.id) }
    }
  }

  @Test("one damaged image of several small ones does not leave anything behind")
  func damagedOfGroup() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let images = try (0..<10).map { try here.add($0) }
    let file = here.store.path(of: images[4].id).string
    try FileManager.default.removeItem(atPath: file)
    try Data(sampleBytes(51, size: images[4].size)).write(to: URL(filePath: file))
    #expect(throws: StoreError.self) {
      try ImageTransfer(server.remote(), here.store, options { $0.connections = 1 }).send(images)
    }
    let temporary = server.store.directory.appending("tmp").string
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    for image in images {
      let bytes = try server.bytes(of: image.id)
      #expect(bytes.map(pointer(to:)) == (bytes == nil ? nil : image))
    }
    #expect(try server.bytes(of: images[4].id) == nil)
  }

  @Test("verifies what the disk of a directory store has, and not what was written to it")
  func verifiesDisk() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let image = try here.add(1)
    #expect(
      try ImageTransfer(server.remote(), here.store, options()).send([image]).transferred == 1)
    let file = server.store.path(of: image.id)
    let broken = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step, path == file { throw FileError("write", path, .ioError) }
    }
    let transfer = ImageTransfer(broken, here.store, options())
    let report = try transfer.verify([image])
    #expect(report.unverified?.kind == .serverError && report.damaged.isEmpty, "\(report)")
    // A copy that only receives it waits for no disk.
    #expect(try ImageTransfer(broken, Scratch().store, options()).receive([image]).transferred == 1)
    // A file system without such an operation.
    let simple = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { throw FileError("write", path, .invalidArgument) }
    }
    #expect(try ImageTransfer(simple, here.store, options()).verify([image]).failure == nil)
    let second = try here.add(2)
    #expect(try ImageTransfer(simple, here.store, options()).send([second]).transferred == 1)
    #expect(try server.bytes(of: second.id).map(pointer(to:)) == second)
    // Directories that may be entered and not read, or not be synced when open for reading.
    let directory = server.store.directory
    let closed = remote(server.store) { (step, path) throws(FileError) in
      guard case .sync = step else { return }
      if path == directory { throw FileError("write", path, .badFileDescriptor) }
      if path == directory.appending("objects") {
        throw FileError("write", path, .permissionDenied)
      }
    }
    #expect(try ImageTransfer(closed, here.store, options()).send([here.add(3)]).transferred == 1)
  }

  @Test("a file that cannot be examined in a directory store does not end other transfers")
  func unreadableFile() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let image = try here.add(1)
    let objects = server.store.path(of: image.id).removingLastComponent().removingLastComponent()
    try FileManager.default.createDirectory(
      atPath: objects.removingLastComponent().string, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: objects.string, withDestinationPath: objects.string)
    let report = try ImageTransfer(server.remote(), Scratch().store, options()).receive([image])
    #expect(report.cause?.kind == .serverError, "\(report)")
  }

  @Test("removes what a push that was killed a day ago left in a directory store")
  func directoryLeftovers() throws {
    let (server, here) = (EncryptedServer(try DirectoryServer()), Scratch())
    let files = try #require(server.server as? DirectoryServer).store.directory
    for (directory, name) in [
      (files, "tmp/cairn-"), (here.store.directory, "tmp/cairn-"),
      (files, "incomplete/\(String(repeating: "ab", count: 32)).1x"),
    ] {
      for (suffix, age) in [("old", 25.0), ("new", 23)] {
        let file = directory.pushing(FilePath(name + suffix))
        try FileManager.default.createDirectory(
          atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: file.string))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -age * 3600)], ofItemAtPath: file.string)
      }
    }
    let remote = EncryptedImages(try server.server.remote(), server.identity, staging: here.store)
    #expect(try ImageTransfer(remote, here.store, options()).send([here.add(1)]).transferred == 1)
    func left(_ directory: FilePath, _ name: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: directory.appending(name).string)
    }
    #expect(try left(files, "tmp") == ["cairn-new"])
    #expect(try left(here.store.directory, "tmp") == ["cairn-new"])
    #expect(try left(files, "incomplete").map { $0.suffix(3) } == ["new"])
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
        server.remote(), there.store, options { $0.retries.attempts = 2 }
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
      try ImageTransfer(server.remote(), here.store, options()).send([image])
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
    _ = try ImageTransfer(server.remote(), here.store, options()).send(images)
    let nowhere = pointer(to: [9])
    // Twice: what is gone counts as erased.
    for _ in 0..<2 {
      let transfer = ImageTransfer(try server.remote(), here.store, options())
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
    let check = try ImageTransfer(server.remote(), here.store, options()).check(images)
    #expect(kind.keepsObjects || check.known == [images[1]])
    // What an administrator of a Git LFS server has deleted.
    for image in images { try server.put(nil, as: image.id) }
    let found = try ImageTransfer(server.remote(), here.store, options()).findErased(images)
    #expect(found.erased == images && found.failed.isEmpty, "\(found)")
    // A server of rclone's remembers for a while what it has listed.
    guard
      [.directory, .sftp, .proFTPD, .openStack, .apache, .encryptedDirectory, .encryptedSFTP]
        .contains(kind)
    else { return }
    // A truncated copy that another program has put there.
    try server.put(sampleBytes(0, size: 10), as: images[0].id)
    let truncated = try ImageTransfer(server.remote(), here.store, options()).findErased(images)
    #expect(truncated.kept == [images[0]] && truncated.failed.isEmpty, "\(truncated)")
  }

  @Test("reports the total progress of parallel transfers", arguments: ImageRemoteKind.available)
  func progress(_ kind: ImageRemoteKind) throws {
    let (server, here) = (try kind.start(), Scratch())
    let images = try (0..<40).map { try here.add($0, size: 10_000) }
    _ = try ImageTransfer(server.remote(), here.store, options()).send(Array(images[..<10]))
    let last = Mutex<ImageProgress?>(nil)
    _ = try ImageTransfer(
      server.remote(), here.store,
      options { $0.progress = { progress in last.withLock { $0 = progress } } }
    ).send(images)
    let end = try #require(last.withLock { $0 })
    #expect(end.images == 30 && end.totalImages == 30)
    #expect(end.bytes == 300_000 && end.totalBytes == 300_000)
  }
}
