import CairnFiles
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@Suite("Image stores in directories")
struct DirectoryImagesTests {
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
    let send = { try ImageTransfer(remote, here.store, .quick()).send([image]) }
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
    #expect(try ImageTransfer(full, here.store, .quick()).send([image]).cause?.kind == .noSpace)
    let broken = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { throw FileError("write", path, .ioError) }
    }
    #expect(throws: FileError.self) {
      try ImageTransfer(broken, here.store, .quick()).send([image])
    }
    #expect(try server.bytes(of: image.id) == nil)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: directory.appending("tmp").string)
    #expect(left.isEmpty, "\(left)")

    let nameless = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step, path == leaf { throw FileError("write", path, .ioError) }
    }
    #expect(throws: FileError.self) {
      try ImageTransfer(nameless, here.store, .quick()).send([image])
    }
    try server.put(nil, as: image.id)

    let synced = Mutex<[FilePath]>([])
    let watched = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { synced.withLock { $0.append(path) } }
    }
    #expect(try ImageTransfer(watched, here.store, .quick()).send([image]).transferred == 1)
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
      let transfer = ImageTransfer(watched, here.store, .quick { $0.connections = 1 })
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
    let images = try (0..<100).map { try here.add($0) }
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
      let transfer = ImageTransfer(watched, here.store, .quick { $0.connections = 1 })
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

  @Test("syncs directories again that a failed group of small images may have changed")
  func failedGroup() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    try server.store.prepare()
    let small = try (0..<10).map { try here.add($0) }
    // It is sent alone, and first.
    let large = try here.add(20, size: 300_000)
    let directory = server.store.directory
    let synced = Mutex<[FilePath]>([])
    let watched = remote(server.store, syncsTogether: true) { (step, path) throws(FileError) in
      guard case .sync = step else { return }
      let count = synced.withLock {
        $0.append(path)
        return $0.count { $0 == directory.appending("tmp") }
      }
      if path == directory.appending("tmp"), count == 2 {
        throw FileError("write", path, .ioError)
      }
    }
    let images = [large] + small
    let transfer = ImageTransfer(watched, here.store, .quick { $0.connections = 1 })
    #expect(try transfer.send(images).transferred == images.count)
    let objects = directory.appending("objects")
    let paths = synced.withLock { $0 }
    let failure = try #require(paths.lastIndex(of: directory.appending("tmp")))
    #expect(paths[..<failure].contains(objects) && paths[failure...].contains(objects), "\(paths)")
  }

  @Test("one damaged image among small ones is not stored, and leaves no temporary files")
  func damagedOfGroup() throws {
    let (server, here) = (try DirectoryServer(), Scratch())
    let images = try (0..<10).map { try here.add($0) }
    let file = here.store.path(of: images[4].id).string
    try FileManager.default.removeItem(atPath: file)
    try Data(sampleBytes(51, size: images[4].size)).write(to: URL(filePath: file))
    #expect(throws: StoreError.self) {
      try ImageTransfer(server.remote(), here.store, .quick { $0.connections = 1 }).send(images)
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
      try ImageTransfer(server.remote(), here.store, .quick()).send([image]).transferred == 1)
    let file = server.store.path(of: image.id)
    let broken = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step, path == file { throw FileError("write", path, .ioError) }
    }
    let transfer = ImageTransfer(broken, here.store, .quick())
    let report = try transfer.verify([image])
    #expect(report.unverified?.kind == .serverError && report.damaged.isEmpty, "\(report)")
    // A copy that only receives it waits for no disk.
    #expect(try ImageTransfer(broken, Scratch().store, .quick()).receive([image]).transferred == 1)
    // A file system without such an operation.
    let simple = remote(server.store) { (step, path) throws(FileError) in
      if case .sync = step { throw FileError("write", path, .invalidArgument) }
    }
    #expect(try ImageTransfer(simple, here.store, .quick()).verify([image]).failure == nil)
    let second = try here.add(2)
    #expect(try ImageTransfer(simple, here.store, .quick()).send([second]).transferred == 1)
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
    #expect(try ImageTransfer(closed, here.store, .quick()).send([here.add(3)]).transferred == 1)
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
    let report = try ImageTransfer(server.remote(), Scratch().store, .quick()).receive([image])
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
    #expect(try ImageTransfer(remote, here.store, .quick()).send([here.add(1)]).transferred == 1)
    func left(_ directory: FilePath, _ name: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: directory.appending(name).string)
    }
    #expect(try left(files, "tmp") == ["cairn-new"])
    #expect(try left(here.store.directory, "tmp") == ["cairn-new"])
    #expect(try left(files, "incomplete").map { $0.suffix(3) } == ["new"])
  }
}
