import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Working documents")
struct WorkingDocumentTests {
  @Test("merges an uncommitted edit with a pull")
  func uncommittedEdits() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let pin = PinID(unchecked: "0123456789abcdef0123")
    let here = Coordinate(latitude: 1, longitude: 2)!
    try a.write { [.pin(Pin(id: pin, at: here, name: "here", stamp: $0.stamp()))] }
    try a.sync()
    let b = try devices.clone("b")
    // a renames it and pushes; b moves it and does not commit
    try edit(pin, at: a) { $0.name = Register("there", $1.stamp(replacing: $0.name.stamp)) }
    try a.sync()
    let there = Coordinate(latitude: 3, longitude: 4)!
    try edit(pin, at: b) { $0.location = Register(there, $1.stamp(replacing: $0.location.stamp)) }
    let report = try b.pull()
    #expect(report.checkout.merged == [DocumentPath.pin(pin).description])
    guard case .pin(let joined) = try b.directory.document(at: .pin(pin)) else { return }
    #expect(joined.name.value == "there")
    #expect(joined.location.value == there)
    #expect(try b.workingState().changes.map(\.path) == [.pin(pin)])
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
  }

  @Test("reports a deleted document as missing and removes it only after git rm")
  func missingAndRemoved() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.commit()
    let path = try #require(try a.workingFiles().first { $0.hasPrefix("labels/") })
    try a.directory.remove(path)
    let result = try a.commit()
    #expect(result.commit == nil)
    #expect(result.problems == [WorkingProblem(path: path, reason: .missing)])
    try devices.git("rm", "-q", path, at: a.directory.root)
    #expect(try a.commit().changes.map(\.kind) == [.removed])
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }

  @Test("reads only directories in which git's index differs from the last commit")
  func cost() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(0..<100, "oak", by: "alice")
    try a.commit()
    try a.label(200, "oak", by: "alice")
    try devices.git("add", "-A", at: a.directory.root)
    let before = a.repository.objectsRead
    #expect(try a.workingState().changes.map(\.kind) == [.added])
    #expect(a.repository.objectsRead - before < 30)
  }

  @Test("stamps a field edited by hand when it is committed")
  func unstampedEdit() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.commit()
    let old = try #require(try a.labels().first)
    let path = DocumentPath.label(old.photo, old.name).description
    let text = String(decoding: old.canonicalBytes, as: UTF8.self)
    try a.directory.write(
      Array(text.replacing("\"present\"", with: "\"absent\"").utf8), to: path)
    try a.commit()
    let new = try #require(try a.labels().first)
    #expect(new.verdict == .absent)
    #expect(new.stamp > old.stamp)
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }

  @Test("an uncommitted edit counts when it replaces an unstamped one dated in the future")
  func editOfUnstampedCommit() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.sync()
    let label = try #require(try a.labels().first)
    let path = DocumentPath.label(label.photo, label.name).description
    func bytes(_ verdict: Verdict) -> [UInt8] {
      var edited = label
      edited.verdict = verdict
      return edited.canonicalBytes
    }
    // Somebody commits with git on a device whose clock is fast, and git brings that commit here.
    let byGit = try a.commitByGit([path: bytes(.absent)], on: #require(try a.repository.head()))
    try devices.git("reset", "-q", "--hard", "\(byGit)", at: a.directory.root)
    try a.directory.write(bytes(.withdrawn), to: path)
    try a.sync()
    #expect(try a.labels().map(\.verdict) == [.withdrawn])
    #expect(try devices.clone("b").labels().map(\.verdict) == [.withdrawn])
  }

  @Test("reports an invalid document with its line and commits the others")
  func brokenDocument() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.commit()
    let broken = try #require(try a.labels().first)
    let path = DocumentPath.label(broken.photo, broken.name).description
    try a.directory.write(Array("{\n<<<<<<< ours\n}\n".utf8), to: path)
    try a.label(2, "elm", by: "alice")
    let result = try a.commit()
    #expect(result.commit != nil)
    guard case .invalidDocument(let error)? = result.problems.first?.reason else {
      Issue.record("no problem was reported")
      return
    }
    #expect(error.kind == .conflictMarkers)
    #expect(error.line == 2)
    #expect(result.changes.count == 1)
  }

  @Test("reports an image changed in place, and commits and pushes nothing of it")
  func imageChangedInPlace() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let source = devices.root.appending("source")
    try devices.environment().files.create(source, [UInt8](repeating: 7, count: 3000))
    let staged = try a.directory.blobs.stage(source)
    try a.directory.blobs.install(staged)
    try a.addPhoto(staged)
    try a.sync()
    let path = DocumentPath.image(staged.id, .png).description
    let location = try a.directory.location(path)
    #expect(chmod(location.string, 0o644) == 0)
    try devices.environment().files.append([1, 2, 3], to: location)
    let result = try a.commit()
    #expect(result.commit == nil)
    #expect(result.problems == [WorkingProblem(path: path, reason: .changedImage)])
    let remote = BlobStore(
      directory: devices.remote.appending("lfs"), environment: devices.environment())
    #expect(try remote.isIntact(staged.id) == true)
  }

  @Test("writes nothing outside the dataset through a symbolic link")
  func hostileSymlink() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.sync()
    let b = try devices.clone("b")
    let outside = devices.root.appending("outside")
    try devices.environment().files.createDirectory(outside)
    // An attacker's commit: `labels` is a link out of the dataset.
    try devices.environment().files.createSymlink(
      b.directory.root.appending("labels"), to: outside.string)
    try devices.git("add", "labels", at: b.directory.root)
    try devices.git("commit", "-qm", "link", at: b.directory.root)
    try devices.git("push", "-q", "origin", "main", at: b.directory.root)
    try a.pull()
    let link = a.directory.root.appending("labels")
    #expect(throws: StoreError.symbolicLink(link)) { try a.label(1, "oak", by: "alice") }
    #expect(try devices.environment().files.list(outside) == [])
    #expect(try a.workingState().problems.map(\.path) == ["labels"])
  }

  private func edit(
    _ id: PinID, at replica: Replica, _ change: (inout Pin, EditSession) -> Void
  ) throws {
    guard case .pin(var pin) = try replica.directory.document(at: .pin(id)) else { return }
    try replica.write { session in
      change(&pin, session)
      return [.pin(pin)]
    }
  }
}
