import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

/// A disk that fails from one step on, which leaves the same files as a crash.
private final class FailingDisk: Sendable {
  private let left: Atomic<Int>

  init(after steps: Int) { left = Atomic(steps) }

  var hasFailed: Bool { left.load(ordering: .relaxed) < 0 }

  func fault(_ step: FileSystem.Step, _ path: FilePath) throws(FileError) {
    if left.subtract(1, ordering: .relaxed).newValue < 0 {
      throw FileError("write", path, .ioError)
    }
  }
}

@Suite("Crash between any two writes")
struct CrashTests {
  /// Creates two devices with labels to exchange.
  private func prepare() throws -> (Devices, Replica, Replica) {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.sync()
    let b = try devices.clone("b")
    try a.label(2, "oak", by: "alice")
    try a.label(1, "oak", by: "alice", .absent)
    try a.sync()
    try b.label(1, "elm", by: "bob")
    try b.label(3, "elm", by: "bob")
    return (devices, a, b)
  }

  @Test(
    "loses nothing of a sync when git commits the files that are left",
    arguments: stride(from: 0, to: 180, by: 9).map { $0 })
  func gitCommitsAfterCrash(steps: Int) throws {
    let (devices, a, b) = try prepare()
    let disk = FailingDisk(after: steps)
    _ = try? devices.reopen(b) { (step, path) throws(FileError) in try disk.fault(step, path) }
      .sync()
    // git tells people to remove the locks of a crashed process.
    for name in ["index.lock", "refs/heads/main.lock"] {
      try FileSystem().remove(b.repository.gitDirectory.pushing(FilePath(name)))
    }
    try devices.git("add", ".", at: b.directory.root)
    try devices.git("commit", "-qm", "whatever there is", "--allow-empty", at: b.directory.root)
    let again = try devices.reopen(b)
    try again.sync()
    try a.sync()
    try again.sync()
    #expect(try a.headTree() == again.headTree())
    #expect(try again.labels().count == 4)
  }

  @Test("removes a model whose training was not recorded before the crash")
  func halfAddedModel() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    defer { withExtendedLifetime(devices) {} }
    let models = try [1, 2, 3].map { try a.store([$0]).id }
    func train(_ id: PhotoID) throws {
      try a.editing("train") { session in
        try session.placeBlob(at: .model(id))
        let run = Run(
          id: RunID(unchecked: String(id.description.prefix(20))),
          annotator: Annotator("model:trees@1")!, by: Annotator("human:alice@example.org")!,
          parameters: ["digest": .string(id.description)], stamp: session.stamp())
        try session.write([.run(run)])
      }
    }
    // The run of one is committed, and its pointer was removed.
    try train(models[0])
    try a.directory.remove(DocumentPath.model(models[0]).description)
    try a.commit()
    try train(models[1])
    try a.editing("train") { session in
      for id in models { try session.placeBlob(at: .model(id)) }
    }
    try a.discardHalfAddedImages()
    let left = try models.filter { try a.exists(.model($0)) }
    #expect(left == Array(models.prefix(2)))
  }

  @Test(
    "keeps an edit by hand of a file that was checked out before the crash",
    arguments: [true, false])
  func editedAfterCrash(isCommittedByGit: Bool) throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let photo = Photo(
      id: photoID(1), image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1), pin: nil,
      source: "1.png", stamp: Stamp(milliseconds: 1, counter: 0, replica: Stamp.otherTools))
    try a.write { _ in [.photo(photo)] }
    try a.sync()
    let b = try devices.clone("b")
    try a.write { session in
      var edited = photo
      edited.title = Register("Zebra", session.stamp())
      return [.photo(edited)]
    }
    try a.sync()
    // The work tree has moved, the branch has not.
    let log = b.repository.gitDirectory.pushing("logs/HEAD")
    let old = try #require(try b.repository.head())
    try b.pull()
    let new = try #require(try b.repository.head())
    try FileSystem().remove(log)
    try devices.git("update-ref", "refs/heads/main", "\(old)", at: b.directory.root)
    try FileSystem().create(
      b.repository.gitDirectory.pushing("cairn/checkout"), Array("\(old) \(new)\n".utf8))
    let path = DocumentPath.photo(photoID(1)).description
    let text = String(decoding: try #require(try b.directory.read(path)), as: UTF8.self)
    try b.directory.write(
      Array(text.replacingOccurrences(of: "Zebra", with: "Aardvark").utf8), to: path)
    if isCommittedByGit { try devices.git("commit", "-qam", "by hand", at: b.directory.root) }
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    guard case .photo(let joined)? = try a.directory.document(at: .photo(photoID(1))) else {
      Issue.record("the photo is gone")
      return
    }
    #expect(joined.title.value == "Aardvark")
  }

  @Test("continues when the commit to check out is lost")
  func lostIntent() throws {
    let (devices, a, b) = try prepare()
    let gone = String(repeating: "1", count: 40)
    let intent = b.repository.gitDirectory.pushing("cairn/checkout")
    try FileSystem().create(
      intent, Array("\(try #require(try b.repository.head())) \(gone)\n".utf8))
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    _ = devices
  }

  @Test(
    "loses nothing of a sync when cairn runs again",
    arguments: stride(from: 0, to: 180, by: 4).map { $0 })
  func crashDuringSync(steps: Int) throws {
    let (devices, a, b) = try prepare()
    let disk = FailingDisk(after: steps)
    do {
      let crashing = try devices.reopen(b) { (step, path) throws(FileError) in
        try disk.fault(step, path)
      }
      try crashing.sync()
    } catch {
      #expect(disk.hasFailed, "\(error)")
    }
    // The next process finishes the work.
    let again = try devices.reopen(b)
    try again.sync()
    try a.sync()
    try again.sync()
    #expect(try a.headTree() == again.headTree())
    let labels = try again.labels().map { "\($0.photo.short) \($0.classKey) \($0.verdict)" }
    #expect(
      Set(labels) == [
        "\(photoID(1).short) oak absent", "\(photoID(2).short) oak present",
        "\(photoID(1).short) elm present", "\(photoID(3).short) elm present",
      ])
    #expect(try again.workingState().changes.isEmpty)
    #expect(try devices.git("status", "--porcelain", at: b.directory.root) == "")
    try devices.git("fsck", "--strict", at: b.directory.root)
    try devices.git("fsck", "--strict", at: devices.remote)
  }

  @Test(
    "changes the image URL as a whole or not at all", arguments: [true, false], [true, false])
  func imageURL(isDiskBroken: Bool, isFirst: Bool) throws {
    var (step, isFinished) = (0, false)
    while !isFinished {
      let devices = try Devices()
      let a = try devices.start("a")
      func setURL(_ replica: Replica, _ url: String) throws {
        try replica.editing("remote images") { session in
          try replica.setImageURL(
            ofRemote: "origin", url, relativeTo: devices.root, session: session)
        }
      }
      if !isFirst { try setURL(a, "https://example.org/former") }
      let (former, old) = (try a.imageURL(ofRemote: "origin"), try a.repository.head())
      let seen = Atomic(0)
      let failing = try devices.reopen(a) { [step] (_, path) throws(FileError) in
        let number = seen.add(1, ordering: .relaxed).oldValue
        if isDiskBroken ? number >= step : number == step {
          throw FileError("open", path, .tooManyOpenFiles)
        }
      }
      let isChanged = (try? setURL(failing, "https://example.org/new")) != nil
      isFinished = seen.load(ordering: .relaxed) <= step

      // The next process.
      let b = try devices.reopen(a)
      try b.label(1, "oak", by: "alice")
      try b.commit()
      let url = try b.imageURL(ofRemote: "origin")
      #expect(url == "https://example.org/new" || !isChanged && url == former, "step \(step)")
      let parents = try b.repository.commit(try #require(try b.repository.head())).parents
      #expect((parents == [old]) == (url == former), "step \(step)")
      #expect(try devices.git("status", "--porcelain", at: b.directory.root) == "", "step \(step)")
      #expect(try !b.hasUnfinishedImageURLChange, "step \(step)")
      step += 1
    }
    #expect(step > 10)
  }

  @Test("commits although a power cut has emptied the file of another branch")
  func brokenBranch() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let root = a.directory.root
    try devices.git("switch", "-q", "-c", "topic", at: root)
    try a.commit()
    try devices.git("switch", "-q", "main", at: root)
    let file = a.repository.commonDirectory.pushing("refs/heads/topic").string
    try Data().write(to: URL(fileURLWithPath: file))
    try a.label(2, "elm", by: "alice")
    #expect(try a.commit().commit != nil)
  }
}
