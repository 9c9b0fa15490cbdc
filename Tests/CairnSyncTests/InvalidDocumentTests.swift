import CairnDocument
import CairnGit
import CairnStore
import Foundation
import Testing

@testable import CairnSync

@Suite("Documents that other tools have made invalid")
struct InvalidDocumentTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with a pin called “old” and a label.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pairWithPin()
  }

  @Test("a recorded version that cannot be read is an error, not a missing document")
  func recordedVersions() throws {
    try a.directory.write(Array("{".utf8), to: "broken")
    let text = try devices.git("hash-object", "-w", "broken", at: a.directory.root)
    let broken = try #require(ObjectID(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let gone = try #require(ObjectID(String(repeating: "1", count: 40)))
    for id in [broken, gone] {
      let edit = RecordedEdit(path: .manifest, before: .blob(id), after: .missing)
      #expect(throws: (any Error).self, "\(id)") { try a.versions(of: edit) }
    }
  }

  @Test("restores a document that was committed with conflict markers")
  func markers() throws {
    let path = DocumentPath.pin(pinID).description
    let text = try #require(try a.directory.read(path))
    try a.directory.write(Array("<<<<<<< HEAD\n".utf8) + text, to: path)
    try devices.git("commit", "-qam", "oops", at: a.directory.root)
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    let report = try b.pull()
    guard case .repaired(let error)? = report.merge.fixups.first?.reason else {
      Issue.record("\(report.merge.fixups)")
      return
    }
    #expect(error.kind == .conflictMarkers)
    #expect(error.line == 1)
    #expect(try b.directory.read(path) == text)
    #expect(try b.workingState().problems.isEmpty)
  }

  @Test("keeps an edit made next to conflict markers")
  func editedAndMarked() throws {
    let path = DocumentPath.pin(pinID)
    let old = try #require(try a.directory.read(path.description))
    let text = String(decoding: old, as: UTF8.self)
    let edited = text.replacingOccurrences(of: "\"old\"", with: "\"by hand\"")
    for broken in ["<<<<<<< ours\n" + edited, "<<<<<<< a\n\(text)=======\n\(edited)>>>>>>> b\n"] {
      var fixups = CommitFixups()
      try fixups.edit(path, from: old, to: Array(broken.utf8), at: 1_900_000_000)
      let fixup = try #require(fixups.documents["\(path)"])
      let pin = try Pin(bytes: try #require(fixup.bytes))
      #expect(pin.name.value == "by hand")
      #expect(pin.name.stamp.milliseconds == 1_900_000_000_000)
      guard case .repaired = fixup.reason else {
        Issue.record("\(fixup.reason)")
        continue
      }
    }
  }

  @Test("leaves a document that was never valid, reports its line and syncs the others")
  func neverRead() throws {
    let path = DocumentPath.pin(PinID(unchecked: "aaaaaaaaaaaaaaaaaaaa")).description
    try a.directory.write(Array("{\n  oops\n}\n".utf8), to: path)
    try devices.git("add", ".", at: a.directory.root)
    try devices.git("commit", "-qm", "oops", at: a.directory.root)
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    try b.label(5, "elm", by: "bob")
    let report = try b.sync()
    let problem = try #require(report.pulls.last?.checkout.problems.first)
    #expect(problem.path == path)
    guard case .invalidDocument(let error) = problem.reason else { return }
    #expect(error.line == 2)
    #expect(try b.labels().count == 2)
  }

  @Test("restores the size in the pointer of an image whose photo was damaged, too")
  func damagedWithImage() throws {
    let photo = photoDocument(7)
    let path = DocumentPath.photo(photo.id).description
    let image = DocumentPath.image(photo.id, .png).description
    let pointer = Pointer(id: photo.id, size: 1).bytes
    let head = try #require(try a.repository.head())
    let start = try a.commitByGit([path: photo.canonicalBytes, image: pointer], on: head)
    let broken = Array("<<<<<<< ours\n".utf8) + photo.canonicalBytes
    let damaged = try a.commitByGit(
      [path: broken, image: Pointer(id: photo.id, size: 2).bytes], on: start)
    let fixed = try a.commitWithFixups(damaged, excluding: [start]).commit
    let tree = try a.repository.commit(fixed).tree
    #expect(try a.repository.file(at: image, in: tree) == pointer)
    #expect(try a.repository.file(at: path, in: tree) == photo.canonicalBytes)
  }
}
