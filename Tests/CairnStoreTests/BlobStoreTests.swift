import CairnDocument
import CairnFiles
import CairnStore
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Blob store")
struct BlobStoreTests {
  private let sandbox: Sandbox
  private let store: BlobStore
  private let files = FileSystem()

  init() throws {
    sandbox = try Sandbox()
    store = BlobStore(directory: sandbox.path("lfs"), environment: .test())
  }

  private func install(_ text: String, in store: BlobStore? = nil) throws -> PhotoID {
    try sandbox.write(text.utf8, to: "source")
    let staged = try (store ?? self.store).stage(sandbox.path("source"))
    try (store ?? self.store).install(staged)
    return staged.id
  }

  private func mode(_ path: FilePath) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("installs a whole, read-only blob at git-lfs's path")
  func install() throws {
    let id = try install("hello")
    let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    #expect(id.description == hash)
    #expect(store.path(of: id) == sandbox.path("lfs/objects/2c/f2/" + hash))
    #expect(try files.read(store.path(of: id)) == Array("hello".utf8))
    #expect(try mode(store.path(of: id)) == 0o444)
    #expect(try store.size(of: id) == 5)
    #expect(try store.isIntact(id) == true)
    #expect(try sandbox.snapshot("lfs/tmp").isEmpty)
    // The source is the user's own file and stays unchanged.
    #expect(try mode(sandbox.path("source")) & 0o200 != 0)
  }

  @Test("hashes a blob of many pieces as a whole")
  func large() throws {
    let bytes = [UInt8](repeating: 0x61, count: (3 << 20) + 7)
    try sandbox.write(bytes, to: "source")
    let staged = try store.stage(sandbox.path("source"))
    #expect(staged.size == bytes.count)
    #expect(try BlobStore.hash(sandbox.path("source"), files: files) == staged.id)
    let output = try sandbox.run("sha256sum", [sandbox.path("source").string]).stdout
    #expect(output.hasPrefix(staged.id.description))
  }

  /// Returns the extended attribute of a file in which it records its CRC-32.
  private func checksum(_ path: FilePath) throws -> [UInt8]? {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter { file.attribute("user.cairn", count: 12) }
  }

  @Test(
    "records the CRC-32 of a staged blob with its file",
    .enabled(if: TemporaryDirectory.keepsAttributes))
  func checksum() throws {
    // The beginning of the id, and `zlib.crc32(b"hello")` of Python.
    let expected: [UInt8] = [
      0x2C, 0xF2, 0x4D, 0xBA, 0x5F, 0xB0, 0xA3, 0x0E, 0x36, 0x10, 0xA6, 0x86,
    ]
    let source = sandbox.path("source")
    try sandbox.write("hello".utf8, to: "source")
    let copied = try store.stage(source, recordingChecksum: true)
    #expect(try checksum(copied.path) == expected)
    #expect(try mode(copied.path) == 0o444)
    try store.install(copied)
    #expect(try checksum(store.path(of: copied.id)) == expected)
    #expect(try checksum(try store.stage(source).path) == nil)
    var pieces = [Array("lo".utf8), Array("hel".utf8)]
    let written = try store.stage { pieces.popLast() }
    #expect(try checksum(written.path) == expected)
    #expect(try mode(written.path) == 0o444)
    #expect(try checksum(source) == nil)
  }

  @Test("leaves nothing behind when a staged blob is discarded")
  func discard() throws {
    try sandbox.write("x".utf8, to: "source")
    let staged = try store.stage(sandbox.path("source"))
    #expect(try sandbox.snapshot("lfs").count == 1)
    store.discard(staged)
    store.discard(staged)
    #expect(try sandbox.snapshot("lfs").isEmpty)
    #expect(try store.size(of: staged.id) == nil)
    #expect(try store.isIntact(staged.id) == nil)
  }

  @Test("keeps an existing blob and replaces one of the wrong size")
  func known() throws {
    let id = try install("hello")
    let inode = try files.status(store.path(of: id))?.inode
    #expect(try install("hello") == id)
    #expect(try files.status(store.path(of: id))?.inode == inode)
    #expect(try sandbox.snapshot("lfs").count == 1)

    try files.remove(store.path(of: id))
    try files.create(store.path(of: id), Array("hel".utf8))
    #expect(try install("hello") == id)
    #expect(try store.isIntact(id) == true)
  }

  @Test("fetches a blob into a file of its own")
  func fetched() throws {
    let other = BlobStore(directory: sandbox.path("other"), environment: .test())
    let id = try install("hello", in: other)
    #expect(try store.fetch(id, from: other))
    #expect(!(try store.fetch(id, from: other)))
    let (mine, theirs) = (
      try #require(try files.status(store.path(of: id))),
      try #require(try files.status(other.path(of: id)))
    )
    #expect(mine.inode != theirs.inode)
    #expect(mine.links == 1)
    #expect(try mode(store.path(of: id)) == 0o444)
    #expect(try store.isIntact(id) == true)
    #expect(try sandbox.snapshot("lfs").count == 1)
    #expect(try sandbox.snapshot("lfs/tmp").isEmpty)
  }

  @Test("makes a fetched blob read-only if git-lfs left its source writable")
  func writableSource() throws {
    let other = BlobStore(directory: sandbox.path("other"), environment: .test())
    let id = try install("hello", in: other)
    #expect(chmod(other.path(of: id).string, 0o644) == 0)
    #expect(try store.fetch(id, from: other))
    #expect(try mode(store.path(of: id)) == 0o444)
  }

  @Test("fails to fetch a missing blob")
  func refused() throws {
    let other = BlobStore(directory: sandbox.path("other"), environment: .test())
    let id = try install("hello", in: other)
    let absent = PhotoID(digest: [UInt8](repeating: 7, count: 32))
    #expect(throws: StoreError.missingBlob(absent)) {
      try store.fetch(absent, from: other)
    }
    #expect(try store.size(of: id) == nil)
    #expect(try sandbox.snapshot("lfs").isEmpty)
  }

  @Test("detects a corrupt blob while it copies it")
  func corruptSource() throws {
    let other = BlobStore(directory: sandbox.path("other"), environment: .test())
    let (good, bad) = (try install("hello", in: other), try install("environment", in: other))
    try files.remove(other.path(of: bad))
    try files.create(other.path(of: bad), Array("wxrld".utf8))
    #expect(try other.isIntact(bad) == false)
    #expect(try store.fetch(good, from: other))
    #expect(try store.isIntact(good) == true)
    #expect(try mode(store.path(of: good)) == 0o444)
    #expect(throws: StoreError.corruptBlob(bad, other.path(of: bad))) {
      try store.fetch(bad, from: other)
    }
    #expect(try store.size(of: bad) == nil)
    #expect(try sandbox.snapshot("lfs").count == 1)
  }

  @Test("leaves a whole blob or none, and no other file, when any step of a fetch fails")
  func faults() throws {
    let other = BlobStore(directory: sandbox.path("other"), environment: .test())
    let id = try install("hello", in: other)
    try withFaultAtEachStep(isStrict: false) { environment, _ in
      try files.removeTree(store.directory)
      try BlobStore(directory: store.directory, environment: environment).fetch(id, from: other)
    } check: { (step: Int) throws in
      #expect(try store.isIntact(id) != false)
      #expect(try sandbox.snapshot("lfs/tmp").isEmpty, "step \(step)")
      #expect(try other.isIntact(id) == true)
    }
  }

  @Test("leaves nothing behind when any step of staging fails")
  func stagingFaults() throws {
    try sandbox.write([UInt8](repeating: 1, count: 3 << 20), to: "source")
    try withFaultAtEachStep { environment, _ in
      try files.removeTree(store.directory)
      _ = try BlobStore(directory: store.directory, environment: environment).stage(
        sandbox.path("source"), recordingChecksum: true)
    } check: { (step: Int) throws in
      #expect(try sandbox.snapshot("lfs").isEmpty, "step \(step)")
    }
    #expect(throws: FileError.self) { try store.stage(sandbox.path("nothing")) }
    #expect(throws: FileError.self) { try store.stage(sandbox.root) }
    #expect(try sandbox.snapshot("lfs/tmp").isEmpty)
  }

  @Test("keeps the erasures of two machines that share the store")
  func concurrentErasures() throws {
    let ids = (0..<3).map { PhotoID(digest: [UInt8](repeating: $0, count: 32)) }
    try store.refuse([ids[0]])
    let store = store
    let files = FileSystem { (step, path) throws(FileError) in
      guard case .create = step, path.lastComponent?.string.hasPrefix("erased") == true else {
        return
      }
      #expect(throws: Never.self) { try store.refuse([ids[0], ids[1]]) }
    }
    let other = BlobStore(directory: store.directory, environment: .test(files: files))
    #expect(try other.refuse([ids[1], ids[2]]) == [ids[2]])
    #expect(try store.erasedBlobs() == Set(ids))
  }

  @Test("adds to a list of erasures that is another user's or that cannot be locked")
  func erasuresOfOthers() throws {
    let ids = (0..<3).map { PhotoID(digest: [UInt8](repeating: $0, count: 32)) }
    try store.refuse([ids[0]])
    let list = sandbox.path("lfs/erased")
    let readOnly = FileSystem { (step, path) throws(FileError) in
      if case .write = step, path == list { throw FileError("write", path, .permissionDenied) }
    }
    let other = BlobStore(directory: store.directory, environment: .test(files: readOnly))
    #expect(try other.refuse([ids[1]]) == [ids[1]])
    // As on a file system without locks, no lock is to be had.
    let lock = try files.lockToReplace(list, timeout: 0)
    #expect(lock != nil)
    #expect(try files.lockToReplace(list, timeout: 0) == nil)
    #expect(try store.refuse([ids[2]], timeout: 0) == [ids[2]])
    try lock?.close()
    #expect(try store.erasedBlobs() == Set(ids))
    #expect(try mode(list) == 0o444)
    #expect(try sandbox.snapshot("lfs").count == 1)
  }

  @Test("examines what is left of an erased blob while another process moves files in the store")
  func movedFiles() throws {
    let id = try install("hello")
    try files.remove(store.path(of: id))
    // A push gives its name to a temporary file of the same size.
    let (from, to) = (sandbox.path("lfs/tmp/cairn-1"), sandbox.path("lfs/objects/other"))
    try files.create(from, Array("other".utf8))
    let (store, files) = (store, files)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      do {
        for _ in 0..<2000 {
          if worker == 0 {
            try files.rename(from, to: to)
            try files.rename(to, to: from)
          } else if try !store.remains(of: id, size: 5).isEmpty {
            failures.withLock { $0.append("found") }
          }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
