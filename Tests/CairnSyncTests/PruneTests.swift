import CairnDocument
import CairnGit
import CairnMerge
import CairnStore
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Pruning")
struct PruneTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with photos 1 and 2, each with a label of Alice.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair { a in
      try a.write { session in
        [1, 2].map { seed in
          .photo(
            Photo(
              id: photoID(seed), image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1),
              pin: nil, source: "\(seed).png", stamp: session.stamp()))
        }
      }
      for seed in [1, 2] { try a.label(seed, "oak", by: "alice") }
    }
  }

  private func photo(_ seed: Int, _ replica: Replica) throws -> Photo? {
    guard case .photo(let photo) = try replica.directory.document(at: .photo(photoID(seed))) else {
      return nil
    }
    return photo
  }

  private func edit(
    _ seed: Int, _ replica: Replica, _ change: (inout Photo, EditSession) -> Void
  ) throws {
    guard var photo = try photo(seed, replica) else { return }
    try replica.write { session in
      change(&photo, session)
      return [.photo(photo)]
    }
  }

  private func remove(_ seed: Int, _ replica: Replica) throws {
    try edit(seed, replica) {
      $0.removed = Register(true, $1.stamp(replacing: $0.removed.stamp))
    }
  }

  private func prune(_ replica: Replica, isDryRun: Bool = false) throws -> PruneReport {
    let session = try replica.edit("gc")
    return try withExtendedLifetime(session) {
      try replica.prune(before: .max, isDryRun: isDryRun, session: session)
    }
  }

  @Test("removes a photo with its labels and keeps them in the history")
  func prunes() throws {
    try remove(1, a)
    try a.commit()
    #expect(try prune(a).counts == [.photo: 1, .label: 1])
    #expect(try a.labels().map(\.photo) == [photoID(2)])
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    let path = DocumentPath.photo(photoID(1)).description
    #expect(try devices.git("log", "--format=%h", "--", path, at: b.directory.root) != "")
    #expect(try prune(a).paths.isEmpty)
  }

  @Test("keeps a photo that a person labeled after its removal")
  func restoredByMerge() throws {
    try remove(1, a)
    try a.label(1, "elm", by: "bob")
    try a.commit()
    #expect(try prune(a).paths.isEmpty)
  }

  @Test(
    "restores a pruned photo with all its labels when another device labels it",
    arguments: [true, false])
  func prunedAndLabeled(prunerMerges: Bool) throws {
    try remove(1, a)
    try a.commit()
    _ = try prune(a)
    try b.label(1, "elm", by: "bob")
    // a --> remote <-- b, either of them merges.
    if prunerMerges {
      try b.sync()
      let report = try #require(try a.sync().pulls.last)
      #expect(report.merge.restored.count == 2)
    } else {
      try a.sync()
      try b.sync()
    }
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    // Still marked as removed, but a person labeled it later, so it is visible.
    let photo = try #require(try photo(1, b))
    #expect(photo.removed.value)
    let labels = try b.labels().filter { $0.photo == photoID(1) }
    #expect(Set(labels.map(\.annotator.identity)) == ["alice@example.org", "bob@example.org"])
    #expect(Visibility(of: photo, labels: labels).isVisible)
  }

  @Test("restores a pruned photo when it has an uncommitted label during a pull")
  func prunedAndUncommitted() throws {
    try remove(1, a)
    try a.commit()
    _ = try prune(a)
    try a.sync()
    try b.label(1, "elm", by: "bob")
    let report = try b.pull()
    #expect(report.checkout.restored == [photoID(1)])
    #expect(try photo(1, b) != nil)
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try a.labels().filter { $0.photo == photoID(1) }.count == 2)
    #expect(try b.workingState().problems.isEmpty)
  }

  @Test(
    "restores a photo in the version of the side that removed it",
    arguments: ["label", "edit", "both"])
  func restoredVersion(what: String) throws {
    try edit(1, a) { $0.title = Register("Mill", $1.stamp(replacing: $0.title.stamp)) }
    try remove(1, a)
    try a.commit()
    _ = try prune(a)
    try a.sync()
    if what != "edit" { try b.label(1, "elm", by: "bob") }
    if what != "label" {
      try edit(1, b) { $0.caption = Register("old", $1.stamp(replacing: $0.caption.stamp)) }
    }
    try b.pull()
    let photo = try #require(try photo(1, b))
    #expect(photo.title.value == "Mill")
    #expect(photo.removed.value)
    #expect(photo.caption.value == (what == "label" ? "" : "old"))
    #expect(
      try b.labels().filter { $0.photo == photoID(1) }.map(\.classKey.description)
        == (what == "edit" ? ["oak"] : ["elm", "oak"]))
  }

  @Test(
    "merges what a pull restored with what a third device has changed and removed",
    arguments: [true, false])
  func restoredAfterTwoRemovals(isCommitted: Bool) throws {
    let c = try devices.clone("c")
    try remove(1, a)
    _ = try prune(a)
    try a.sync()
    try b.label(1, "elm", by: "bob")
    try b.pull()
    if isCommitted { try b.commit() }
    try edit(1, c) { $0.title = Register("Mill", $1.stamp(replacing: $0.title.stamp)) }
    try remove(1, c)
    _ = try prune(c)
    try c.sync()
    try b.pull()
    let photo = try #require(try photo(1, b))
    #expect(photo.title.value == "Mill")
    try b.sync()
    try c.sync()
    #expect(try b.headTree() == c.headTree())
    #expect(try self.photo(1, c) == photo)
  }

  @Test(
    "an uncommitted label gives way to its later version, though that was pruned",
    arguments: [true, false])
  func addedAndWithdrawn(isCommitted: Bool) throws {
    try b.label(1, "elm", by: "bob")
    if isCommitted { try b.commit() }
    try a.label(1, "elm", by: "bob")
    try a.commit()
    try a.label(1, "elm", by: "bob", .withdrawn)
    _ = try prune(a)
    try a.sync()
    try b.pull()
    let label = try #require(try b.labels().first { $0.classKey.description == "elm" })
    #expect(label.verdict == .withdrawn)
  }

  @Test("restores a pruned photo with its labels when another device restored it")
  func restored() throws {
    try remove(1, a)
    try a.sync()
    try b.sync()
    _ = try prune(a)
    try edit(1, b) { $0.removed = Register(false, $1.stamp(replacing: $0.removed.stamp)) }
    try b.sync()
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try photo(1, a)?.removed.value == false)
    #expect(try a.labels().filter { $0.photo == photoID(1) }.count == 1)
  }

  @Test("keeps a removed photo that has an uncommitted label")
  func notCommitted() throws {
    try remove(1, a)
    try a.commit()
    try a.label(1, "elm", by: "bob")
    #expect(try prune(a).paths.isEmpty)
    #expect(try photo(1, a) != nil)
  }

  @Test("a dry run in a large checkout reads the files that the commit before pruning would")
  func largeDryRun() throws {
    try remove(1, a)
    try a.commit()
    a.largeCheckout = 1
    let label = Document.label(
      Label(
        photo: photoID(1), classKey: ClassKey("elm")!,
        annotator: Annotator("human:bob@example.org")!,
        verdict: .present, stamp: try a.editing("test") { $0.stamp() }))
    try a.directory.write(label.canonicalBytes, to: label.path.description)
    let planned = try prune(a, isDryRun: true)
    #expect(planned.counts == [.photo: 1, .label: 1])
    #expect(try prune(a).paths == planned.paths)
  }

  @Test("restores a pruned pin when a photo on another device names it")
  func restoresPin() throws {
    let pin = Pin(
      id: PinID(unchecked: "0123456789abcdef0123"), at: Coordinate(latitude: 1, longitude: 2)!,
      name: "Mill", stamp: Stamp(milliseconds: 1, counter: 0, replica: Stamp.otherTools))
    try a.write { _ in [.pin(pin)] }
    try a.sync()
    try b.sync()
    try a.write { session in
      var gone = pin
      gone.removed = Register(true, session.stamp())
      return [.pin(gone)]
    }
    #expect(try prune(a).counts == [.pin: 1])
    try edit(2, b) { $0.pin = Register(pin.id, $1.stamp(replacing: $0.pin.stamp)) }
    try b.sync()
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try a.directory.document(at: .pin(pin.id)) != nil)
  }

  @Test("restores a pruned photo, still marked as removed, when another device edits it")
  func prunedAndEdited() throws {
    try remove(1, a)
    try a.commit()
    _ = try prune(a)
    try edit(1, b) { $0.title = Register("Mill", $1.stamp(replacing: $0.title.stamp)) }
    try b.sync()
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    let photo = try #require(try photo(1, b))
    #expect(photo.title.value == "Mill")
    #expect(photo.removed.value)
  }

  @Test("prunes everything in the directory of a photo's labels")
  func strayFile() throws {
    let directory = DocumentPath.labels(of: photoID(1))
    try a.directory.write([1], to: "\(directory)/.DS_Store")
    try devices.git("add", "-f", directory, at: a.directory.root)
    try devices.git("commit", "-qm", "by accident", at: a.directory.root)
    try a.sync()
    try b.pull()
    try remove(1, a)
    try a.commit()
    #expect(try prune(a).counts == [.photo: 1, .label: 1])
    #expect(try a.repository.node(at: directory, in: a.headTree()) == nil)
    try a.sync()
    try b.label(2, "elm", by: "bob")
    try b.sync()
    #expect(try photo(1, b) == nil)
  }

  @Test("does not restore the earlier version of a withdrawn label that was pruned")
  func withdrawn() throws {
    try a.label(1, "oak", by: "alice", .withdrawn)
    try a.commit()
    #expect(try prune(a).counts == [.label: 1])
    try b.label(2, "elm", by: "bob")
    try a.sync()
    try b.sync()
    #expect(try b.labels().filter { $0.photo == photoID(1) }.isEmpty)
  }

  @Test("keeps a withdrawn label whose stamp does not show when it was withdrawn")
  func timeless() throws {
    let label = Label(
      photo: photoID(1), classKey: ClassKey("oak")!, annotator: Annotator("model:net@1")!,
      verdict: .withdrawn, stamp: .given)
    try a.write { _ in [.label(label)] }
    try a.commit()
    #expect(try prune(a).paths.isEmpty)
  }
}
