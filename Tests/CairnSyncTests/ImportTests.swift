import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Import")
struct ImportTests {
  /// Returns the lines of some photos, each after its two labels.
  private func lines(_ seeds: some Sequence<Int>) -> String {
    seeds.map { seed in
      let photo = photoID(seed)
      let labels = ["oak", "elm"].map {
        #"{"annotator":"model:net@1","class":"\#($0)","photo":"\#(photo)"}"# + "\n"
      }
      let image = #"{"bytes":5,"format":"png","height":2,"width":3}"#
      return labels.joined() + #"{"id":"\#(photo)","image":\#(image)}"# + "\n"
    }.joined()
  }

  private func withFile<Value>(
    _ text: String, _ devices: Devices, _ body: (FileDescriptor) throws -> Value
  ) throws -> Value {
    let path = devices.root.appending("lines-\(UInt64.random(in: 0 ... .max))")
    try FileSystem().create(path, Array(text.utf8))
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter { try body(file) }
  }

  @discardableResult
  private func importLines(
    _ text: String, to replica: Replica, _ devices: Devices
  ) throws -> ImportReport {
    let session = try replica.edit("import")
    return try withExtendedLifetime(session) {
      try withFile(text, devices) { try replica.importDocuments($0, session: session) }
    }
  }

  /// Imports lines without a checkout, and returns the number of objects read and written.
  private func pack(
    _ text: String, into replica: Replica, _ devices: Devices
  ) throws -> (report: ImportReport, read: Int, written: Int) {
    let session = try replica.edit("import")
    return try withExtendedLifetime(session) {
      let before = replica.repository.objectsRead
      let importer = try withFile(text, devices) {
        try replica.prepareImport($0, ImportOptions(), session: session)
      }
      let report = importer.report
      if importer.edit.count == 0 {
        return (report, replica.repository.objectsRead - before, importer.writer.count)
      }
      let head = try replica.repository.head()
      let commit = try replica.write(importer, on: head, message: "import")
      let read = replica.repository.objectsRead - before
      try replica.repository.moveReference(
        try replica.branch(), from: head, to: commit, log: (try replica.author(), "import"))
      return (report, read, importer.writer.count)
    }
  }

  @Test("reads and writes as many objects for 100 documents in a dataset of any size")
  func cost() throws {
    let costs = try [1000, 4000].map { size in
      let devices = try Devices()
      let replica = try devices.start("a")
      _ = try pack(lines(0..<size), into: replica, devices)
      let cost = try pack(lines(10_000..<10_034), into: replica, devices)
      #expect(cost.report.added == [.photo: 34, .label: 68])
      return cost
    }
    // In the larger dataset more of the intermediate directories exist: at most one for each photo
    // and each of its labels.
    #expect(costs[1].read <= costs[0].read + 3 * 34)
    #expect(costs[1].read < 500)
    #expect(costs[1].written == costs[0].written)
  }

  @Test("writes nothing for known documents, and reads each directory once")
  func nothingNew() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    _ = try pack(lines(0..<50), into: replica, devices)
    let again = try pack(lines(0..<50), into: replica, devices)
    #expect(again.report.known == 150)
    #expect(again.written == 0)
    // Each label and photo without a stamp in its current version, and the directories above.
    #expect(again.read < 150 + 50 * 5)
  }

  @Test("writes one pack and one commit that git accepts")
  func onePack() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    let packs = replica.repository.commonDirectory.appending("objects/pack")
    let before = try FileSystem().list(packs)?.count ?? 0
    let report = try importLines(lines(0..<20), to: replica, devices)
    #expect((try FileSystem().list(packs)?.count ?? 0) == before + 2)
    #expect(report.created.map(\.text) == ["elm", "oak"])
    try devices.git("fsck", "--strict", at: replica.directory.root)
    #expect(try devices.git("status", "--porcelain", at: replica.directory.root) == "")
  }

  @Test(
    "leaves a valid dataset when interrupted at any step, and a second run finishes",
    arguments: stride(from: 0, to: 180, by: 12).map { $0 })
  func crash(steps: Int) throws { try checkCrash(after: steps, packLimit: PackWriter.packLimit) }

  @Test(
    "shows nothing of several packs when interrupted before all of them are complete",
    arguments: stride(from: 1, to: 220, by: 11).map { $0 })
  func crashWithPacks(steps: Int) throws { try checkCrash(after: steps, packLimit: 3) }

  private func checkCrash(after steps: Int, packLimit: Int) throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    try replica.label(0, "ash", by: "alice")
    let text = lines(0..<4)
    let left = Atomic(steps)
    let crashing = try? devices.reopen(replica) { (_, path) throws(FileError) in
      if left.subtract(1, ordering: .relaxed).newValue < 0 {
        throw FileError("write", path, .ioError)
      }
    }
    if let crashing {
      crashing.importPackLimit = packLimit
      _ = try? importLines(text, to: crashing, devices)
    }
    try devices.git("fsck", "--strict", at: replica.directory.root)

    let again = try devices.reopen(replica)
    again.importPackLimit = packLimit
    try importLines(text, to: again, devices)
    try again.commit()
    #expect(try again.workingState().changes.isEmpty)
    #expect(try again.workingState().problems.isEmpty)
    #expect(try again.labels().count == 9)
    #expect(try importLines(text, to: again, devices).commit == nil)
    try devices.git("fsck", "--strict", at: again.directory.root)
    #expect(try devices.git("status", "--porcelain", at: again.directory.root) == "")
    let temporary = again.directory.privateDirectory.appending("tmp")
    _ = try again.edit("look")
    #expect(try FileSystem().list(temporary) == [])
  }

  @Test("writes several packs, all of which belong to the commit")
  func severalPacks() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    replica.importPackLimit = 10
    let packs = replica.repository.commonDirectory.appending("objects/pack")
    let before = try FileSystem().list(packs)?.count ?? 0
    try importLines(lines(0..<20), to: replica, devices)
    #expect((try FileSystem().list(packs)?.count ?? 0) >= before + 2 * 3)
    #expect(try replica.labels().count == 40)
    try devices.git("fsck", "--strict", at: replica.directory.root)
    #expect(try devices.git("status", "--porcelain", at: replica.directory.root) == "")
  }

  @Test("merges imported documents with uncommitted edits by hand")
  func uncommitted() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    try importLines(lines(0..<1), to: replica, devices)
    let path = DocumentPath.photo(photoID(0)).description
    let text = String(decoding: try #require(try replica.directory.read(path)), as: UTF8.self)
    let place = try #require(text.range(of: #""value": """#))
    try replica.directory.write(
      Array(text.replacingCharacters(in: place, with: #""value": "by hand""#).utf8), to: path)
    let report = try importLines(
      #"{"id":"\#(photoID(0))","title":"Mill"}"#, to: replica, devices)
    #expect(report.before?.commit != nil)
    guard case .photo(let photo)? = try replica.directory.document(at: .photo(photoID(0))) else {
      Issue.record("the photo is gone")
      return
    }
    #expect(photo.caption.value == "by hand")
    #expect(photo.title.value == "Mill")
    #expect(try devices.git("status", "--porcelain", at: replica.directory.root) == "")
  }

  /// Imports lines, and runs `meanwhile` after they are read.
  private func importLines(
    _ text: String, to replica: Replica, _ devices: Devices, meanwhile: @escaping () throws -> Void
  ) throws -> ImportReport {
    let other = Mutex<Result<Void, any Error>?>(nil)
    nonisolated(unsafe) let meanwhile = meanwhile
    let importing = try devices.reopen(
      replica,
      onProgress: { _ in
        other.withLock { other in if other == nil { other = Result { try meanwhile() } } }
      })
    let report = try importLines(text, to: importing, devices)
    let result = other.withLock { $0 }
    try #require(result).get()
    return report
  }

  private func label(_ month: Int, _ verdict: Verdict) -> Label {
    let stamp = Stamp("2026-0\(month)-01T00:00:00.000Z-0000-00000001")!
    return Label(
      photo: photoID(0), classKey: ClassKey("oak")!, annotator: Annotator("human:ann@example.org")!,
      verdict: verdict, stamp: stamp)
  }

  private func line(_ label: Label) -> String {
    var bytes: [UInt8] = []
    JSON.appendLine(ofCanonical: label.canonicalBytes, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("merges imported documents with what plain git commits meanwhile")
  func committedMeanwhile() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    try importLines(lines(0..<1), to: replica, devices)
    try importLines(line(label(1, .present)), to: replica, devices)
    let june = label(6, .absent)
    let path = Document.label(june).path
    let root = replica.directory.root
    let report = try importLines(
      line(label(3, .withdrawn)) + lines(1..<2), to: replica, devices
    ) {
      try FileSystem().create(root.pushing(FilePath(path.description)), june.canonicalBytes)
      try devices.git("commit", "--quiet", "--all", "--message", "June", at: root)
    }
    #expect(try replica.document(at: path) == .label(june))
    #expect(!report.reportedAllDocuments)
    #expect(try replica.labels().count == 5)
    #expect(try devices.git("status", "--porcelain", at: root) == "")
  }

  @Test("keeps a later label of a large checkout that plain git removed without a commit")
  func largeCheckout() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    try importLines(lines(0..<1), to: replica, devices)
    let june = label(6, .absent)
    let path = Document.label(june).path
    try importLines(line(june), to: replica, devices)
    replica.largeCheckout = 1
    // It is not in the journal, so cairn's commits do not look for it.
    try devices.git("rm", "--quiet", path.description, at: replica.directory.root)
    let report = try importLines(line(label(3, .present)), to: replica, devices)
    #expect(report.known == 1)
    let bytes = try replica.repository.file(at: path.description, in: replica.headTree())
    #expect(bytes == june.canonicalBytes)
  }

  @Test("imports many labels of a checkout around files that are in the way", arguments: [1, 1200])
  func occupied(count: Int) throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    let root = replica.directory.root
    try importLines(lines(0..<1), to: replica, devices)
    let models = (0..<count).map { number in
      #"{"annotator":"model:net-\#(number)@1","class":"yew","photo":"\#(photoID(0))"}"# + "\n"
    }
    // Uncommitted files of a large checkout are not searched for, so the import finds June's label
    // only where it writes March's.
    let (june, march) = (label(6, .absent), label(3, .present))
    let path = Document.label(june).path
    replica.largeCheckout = 0
    try FileSystem().create(root.pushing(FilePath(path.description)), june.canonicalBytes)
    let report = try importLines(models.joined() + line(march), to: replica, devices)
    #expect(report.added == [.label: count + 1])
    #expect(report.checkout.changed == [.label: count + 1, .class: 1])
    #expect(report.checkout.merged == [path.description])
    #expect(try replica.document(at: path) == .label(june))
    #expect(try replica.labels().count == 2 + count + 1)
    try replica.commit()
    #expect(try devices.git("status", "--porcelain", at: root) == "")
  }

  @Test("refuses to import when no branch is checked out, and writes nothing")
  func detached() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    try devices.git("checkout", "--quiet", "--detach", at: replica.directory.root)
    let before = try replica.repository.objectFiles().packs
    #expect(throws: SyncError.detachedHead(previous: "main")) {
      try importLines(lines(0..<3), to: replica, devices)
    }
    #expect(try replica.repository.objectFiles().packs == before)
  }

  @Test("reads each directory once for labels of known photos")
  func knownPhotos() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    let photos = 0..<2000
    _ = try pack(lines(photos), into: replica, devices)
    let labels = photos.map {
      #"{"annotator":"model:net@1","class":"yew","photo":"\#(photoID($0))"}"# + "\n"
    }.joined()
    let cost = try pack(labels, into: replica, devices)
    #expect(cost.report.added == [.label: 2000])
    let ids = photos.map { photoID($0).description }
    let fan = Set(ids.map { $0.prefix(2) }).count + Set(ids.map { $0.prefix(4) }).count
    // Photos are looked up; labels are looked up, resolved and written. Without sorting by path,
    // the photos alone would cost twice their number.
    #expect(cost.read < 4 * fan + 2 * photos.count)
  }

  @Test("imports from a pipe")
  func piped() throws {
    let devices = try Devices()
    let replica = try devices.start("a")
    let text = lines(0..<3)
    let (reading, writing) = try FileDescriptor.pipe()
    try writing.closeAfter { _ = try writing.writeAll(text.utf8) }
    let session = try replica.edit("import")
    let report = try reading.closeAfter {
      try replica.importDocuments(reading, session: session)
    }
    #expect(report.added[.label] == 6)
  }
}
