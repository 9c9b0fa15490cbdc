import CairnDocument
import CairnMerge
import Testing

@Suite("Document changes")
struct DocumentChangeTests {
  private func change(_ old: Document?, _ new: Document?) -> DocumentChange {
    DocumentChange(old?.canonicalBytes, new?.canonicalBytes, at: (new ?? old)!.path)
  }

  private let alice = "human:alice@example.org"

  @Test("groups the fields of a new or changed label")
  func labels() {
    let added = change(nil, .label(label(alice)))
    #expect(added.kind == .added)
    #expect(added.annotator == Annotator(alice))
    #expect(added.assertions.map(\.content) == [.labeled])
    #expect(added.fields.map(\.name).contains("verdict"))
    let changed = change(.label(label(alice)), .label(label(alice, .absent, at(1))))
    #expect(changed.kind == .modified)
    #expect(changed.assertions.map(\.content) == [.labeled])
    #expect(
      changed.fields == [DocumentChange.Field(name: "verdict", old: "present", new: "absent")])
    let deleted = change(.label(label(alice)), nil)
    #expect(deleted.kind == .removed)
    #expect(deleted.assertions.map(\.content) == [.deleted])
  }

  @Test("separates the fields of a new document that its description does not cover")
  func added() {
    var titled = photo()
    titled.title = Register("North slope", at(1))
    let title = DocumentChange.Field(name: "title", old: nil, new: "North slope")
    #expect(
      change(nil, .photo(titled)).assertions.map(\.content) == [.created, .field(title)])
  }

  @Test("looks up the display names of the classes and pins that changed fields refer to")
  func names() throws {
    let (key, tree) = (try #require(ClassKey("oak")), try #require(ClassKey("tree")))
    var new = LabelClass(key: key, name: "Oak", stamp: at(0))
    new.parent = Register(tree, at(1))
    let naming = DocumentChange.Naming(
      ofClass: { $0.text.uppercased() }, ofPin: { _ in "somewhere" })
    let old = LabelClass(key: key, name: "Oak", stamp: at(0))
    let ofClass = DocumentChange(old.json, new.json, at: .class(key), naming: naming)
    #expect(ofClass.names.classes == [key: "OAK", tree: "TREE"])
    var pinned = photo()
    pinned.pin = Register(pin().id, at(1))
    let ofPhoto = DocumentChange(photo().json, pinned.json, at: .photo(photoID), naming: naming)
    #expect(ofPhoto.names.pins == [pin().id: "somewhere"])
  }

  @Test("reports a document that became invalid or valid again")
  func unreadable() {
    let (good, bad) = (photo().canonicalBytes, Array("<<<<<<< ours\n".utf8))
    func contents(_ old: [UInt8]?, _ new: [UInt8]?) -> [DocumentChange.Content] {
      DocumentChange(old, new, at: .photo(photoID)).assertions.map(\.content)
    }
    guard case .invalid(let error)? = contents(good, bad).first else {
      Issue.record("the change is not reported as invalid")
      return
    }
    #expect(contents(good, bad).count == 1)
    #expect(contents(bad, good) == [.validAgain(error), .created])
    #expect(contents(bad, nil) == [.deletedInvalid])
    let rendered = DocumentChange(good, bad, at: .photo(photoID)).rendered
    #expect(rendered.map { $0["field"] } == ["error"])
    #expect(rendered[0]["new"]?.string?.hasPrefix("line 1") == true)
  }

  @Test("reports equal content in different bytes and no changed field")
  func sameInOtherBytes() {
    let spaced = Array(photo().json.canonicalText.replacing("\n", with: "\n ").utf8)
    let change = DocumentChange(photo().canonicalBytes, spaced, at: .photo(photoID))
    #expect(change.assertions.map(\.content) == [.reformatted])
    #expect(change.rendered.isEmpty)
  }

  @Test("reports only the fields in which a merge differs from both parents")
  func joins() {
    var ours = photo()
    ours.title = Register("A", at(1))
    var theirs = photo()
    theirs.caption = Register("b", at(1))
    let joined = ours.json.joined(with: theirs.json)
    func decided(_ result: JSON) -> [String]? {
      let since = [ours, theirs].map { DocumentChange($0.json, result, at: .photo(photoID)) }
      return since[0].common(with: [since[1]])?.fields.map(\.name)
    }
    #expect(decided(joined) == nil)
    var edited = joined.object!
    edited["title"] = register("Both", at(3))
    #expect(decided(.object(edited)) == ["title"])
  }

  @Test("renders each changed field for programs")
  func rendered() throws {
    let change = change(.label(label(alice)), .label(label(alice, .absent, at(1))))
    #expect(
      change.rendered == [
        [
          "annotator": "human:alice@example.org", "change": "modified", "class": "hemlock",
          "field": "verdict", "kind": "label", "new": "absent", "old": "present",
          "path": .string(change.path.description), "photo": .string(photoID.description),
        ]
      ])
    let added = self.change(nil, .photo(photo())).rendered
    #expect(
      added.compactMap { $0["field"]?.string } == [
        "caption", "image.bytes", "image.format", "image.height", "image.width", "pin", "removed",
        "source", "title",
      ])
    #expect(added.allSatisfy { $0["old"] == .null && $0["class"] == nil })
  }
}
