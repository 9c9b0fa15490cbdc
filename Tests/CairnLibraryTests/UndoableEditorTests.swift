import CairnDocument
import CairnFiles
import CairnStore
import CairnSync
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import Cairn

@Suite("Undo of edits")
struct UndoableEditorTests {
  @Test("undoes many removals in parts; what is left is undone later, by another program too")
  func parts() throws {
    let scene = try ReviewScene()
    let editor = try UndoableEditor(scene.dataset)
    try editor.apply(.remove(true), to: scene.photos, as: "10 photos removed")
    let action = try #require(try editor.actions().last)
    #expect(try scene.dataset.find(PhotoQuery("")).isEmpty)
    let first = try editor.undoPart(of: action, limit: 4)
    #expect(first.left == 6 && first.photos.count == 4 && first.kept == 0)
    #expect(try scene.dataset.find(PhotoQuery("")) == Array(scene.photos[6...]))

    let later = try UndoableEditor(scene.dataset)
    let rest = try #require(try later.actions().last)
    #expect(rest.number == action.number && rest.count == 6)
    let undone = try later.undo(rest)
    #expect(undone.left == 0 && undone.photos.count == 6 && undone.kept == 0)
    #expect(try scene.dataset.find(PhotoQuery("")) == scene.photos)
    #expect(try editor.actions().isEmpty)
  }

  @Test("an action before one that was undone in parts can be undone as well")
  func restated() throws {
    let scene = try ReviewScene()
    let editor = try UndoableEditor(scene.dataset)
    _ = try scene.dataset.createClass("oak")
    try editor.apply(.label(["oak"], .present), to: scene.photos, as: "oak on 10 photos")
    _ = try scene.dataset.commit()
    try editor.apply(.label(["oak"], .absent), to: scene.photos, as: "no oak on 10 photos")
    _ = try scene.dataset.commit()
    let last = try #require(try editor.actions().last)
    #expect(try editor.undoPart(of: last, limit: 7).left == 3)
    #expect(try editor.undo(last).kept == 0)
    #expect(try scene.dataset.find(PhotoQuery("label:oak")).count == 10)
    let first = try #require(try UndoableEditor(scene.dataset).actions().last)
    #expect(try UndoableEditor(scene.dataset).undo(first).kept == 0)
    #expect(try scene.dataset.find(PhotoQuery("label:oak")).isEmpty)
  }

  @Test("knows the actions that another program records between the parts of one")
  func otherProgram() throws {
    let scene = try ReviewScene()
    let (editor, other) = (try UndoableEditor(scene.dataset), try UndoableEditor(scene.dataset))
    let (first, second) = (scene.photos[0], scene.photos[1])
    let action = try editor.apply(.title("Old mill"), to: [first], as: "title").action
    try other.apply(.title("Harbor"), to: [second], as: "another title")
    #expect(try editor.apply(.title("Mill"), to: [first], as: "title", in: action).action == action)
    let last = try #require(try editor.actions().last)
    #expect(last.text == "another title")

    // An action of one program is undone by another.
    try other.apply(.caption("Boats"), to: [second], as: "caption")
    #expect(try editor.undo(last).photos == [second])
    #expect(try scene.dataset.show(second).photo.title.value.isEmpty)
    #expect(try editor.actions().map(\.text) == ["title", "caption"])
    #expect(try other.actions().map(\.text) == ["title", "caption"])
  }

  @Test("keeps the photos that were added or restored and that somebody has labeled since")
  func labeledSince() throws {
    let scene = try ReviewScene()
    let editor = try UndoableEditor(scene.dataset)
    _ = try editor.recordAdded(scene.photos, "10 photos added")
    try scene.label(3, "oak", .present, by: "bob")
    let added = try editor.undo(try #require(try editor.actions().last))
    #expect(added.kept == 1 && added.photos.count == 9)
    #expect(try scene.dataset.find(PhotoQuery("")) == [scene.photos[3]])

    try editor.apply(.remove(false), to: Array(scene.photos[..<2]), as: "2 photos restored")
    try scene.label(1, "oak", .present, by: "bob")
    let restored = try editor.undo(try #require(try editor.actions().last))
    #expect(restored.kept == 1 && restored.photos == [scene.photos[0]])
    #expect(try scene.dataset.find(PhotoQuery("")) == [scene.photos[1], scene.photos[3]])
  }

  @Test("records actions as operations, and the undo of an action as that of its operation")
  func operations() throws {
    let scene = try ReviewScene()
    let (dataset, editor) = (scene.dataset, try UndoableEditor(scene.dataset))
    _ = try dataset.createClass("oak")
    // Another action comes between two steps of one.
    let oak = UndoableEditor.Edit.label(["oak"], .present)
    let action = try editor.apply(oak, to: Array(scene.photos[..<5]), as: "oak").action
    try editor.apply(.title("Mill"), to: [scene.photos[0]], as: "title")
    try editor.apply(oak, to: Array(scene.photos[5...]), as: "oak", in: action)
    let recorded = try dataset.operations()
    #expect(recorded.prefix(2).map(\.text) == ["serve: title", "serve: oak"])

    #expect(try editor.undo(try #require(try editor.actions().last)).kept == 0)
    let title = try #require(try dataset.operations().first)
    #expect(title.undoes == recorded[0].number)
    #expect(try dataset.operation().number == recorded[1].number)
    let labels = try #require(try editor.actions().last)
    #expect(try editor.undoPart(of: labels, limit: 4).left == 6)
    #expect(try dataset.operation().number == recorded[1].number)
    #expect(try editor.undo(labels).kept == 0)
    let undone = try dataset.operations()
    #expect(undone[0].undoes == recorded[1].number && undone[0].number == title.number + 1)
    #expect(undone.first { $0.number == recorded[1].number }?.isUndone == true)

    // A later editor continues an undo that was interrupted.
    try editor.apply(.caption("Mill"), to: scene.photos, as: "captions")
    let captions = try #require(try editor.actions().last)
    #expect(try editor.undoPart(of: captions, limit: 4).left == 6)
    let interrupted = try #require(try dataset.operations().first)
    let later = try UndoableEditor(dataset)
    #expect(try later.undo(try #require(try later.actions().last)).kept == 0)
    #expect(try dataset.operations().first?.number == interrupted.number)
    #expect(try dataset.operations().dropFirst().first?.isUndone == true)

    // The operation of an action is undone by the command.
    try editor.apply(.caption("Boats"), to: [scene.photos[0]], as: "caption")
    #expect(try dataset.undo().operation.text == "serve: caption")
    #expect(try dataset.show(scene.photos[0]).photo.caption.value.isEmpty)
    #expect(try editor.undo(try #require(try editor.actions().last)).kept == 1)
  }

  @Test("records no undo that has changed nothing")
  func undoOfNothing() throws {
    let scene = try ReviewScene()
    let (dataset, editor) = (scene.dataset, try UndoableEditor(scene.dataset))
    try editor.apply(.title("Mill"), to: [scene.photos[0]], as: "title")
    let number = try dataset.operation().number
    dataset.beginOperation("photo edit")
    try dataset.editPhotos([scene.photos[0]], title: "Harbor")
    #expect(try editor.undo(try #require(try editor.actions().last)).kept == 1)
    let recorded = try dataset.operations()
    #expect(recorded.first?.text == "photo edit")
    #expect(recorded.first { $0.number == number }?.isUndone == false)
  }

  @Test("undoes an operation in part if a class that it created stays")
  func createdClass() throws {
    let scene = try ReviewScene()
    let (dataset, editor) = (scene.dataset, try UndoableEditor(scene.dataset))
    try editor.apply(.label(["oak"], .present), to: [scene.photos[0]], as: "oak")
    try editor.apply(.label(["oak"], .present), to: [scene.photos[1]], as: "oak again")
    let numbers = try dataset.operations().prefix(2).map(\.number)
    for _ in 0..<2 { _ = try editor.undo(try #require(try editor.actions().last)) }
    let recorded = try dataset.operations()
    let states = numbers.map { number in recorded.first { $0.number == number } }
    #expect(states.map { $0?.isUndone } == [true, true])
    #expect(states.map { $0?.isUndoneInPart } == [false, true])
    #expect(try dataset.undo(numbers[1]).undone == [.class: 1])
  }

  @Test("does not undo a later operation with the number of one whose record is gone")
  func reusedNumber() throws {
    let scene = try ReviewScene()
    let (dataset, editor) = (scene.dataset, try UndoableEditor(scene.dataset))
    try editor.apply(.title("Mill"), to: [scene.photos[0]], as: "title")
    let number = try dataset.operation().number
    try FileManager.default.removeItem(atPath: "\(dataset.root)/.git/cairn/operations")
    let log = dataset.replica.operationLog
    for _ in 0..<number { _ = try log.begin("photo edit", by: nil, at: 4_000_000_000_000) }
    #expect(try dataset.operation().number == number)
    #expect(try editor.undo(try #require(try editor.actions().last)).kept == 0)
    #expect(try dataset.show(scene.photos[0]).photo.title.value.isEmpty)
    #expect(try dataset.operations().allSatisfy { !$0.isUndone && $0.undoes == nil })
  }

  @Test("undoes the second operation of an action that goes on after its first one was undone")
  func undoneMeanwhile() throws {
    let scene = try ReviewScene()
    let (dataset, editor) = (scene.dataset, try UndoableEditor(scene.dataset))
    _ = try dataset.createClass("oak")
    let oak = UndoableEditor.Edit.label(["oak"], .present)
    let action = try editor.apply(oak, to: Array(scene.photos[..<5]), as: "oak").action
    let first = try dataset.undo().operation.number
    #expect(
      try editor.apply(oak, to: Array(scene.photos[5...]), as: "oak", in: action).action == action)
    let second = try dataset.operation().number
    #expect(second > first)
    let later = try UndoableEditor(dataset)
    #expect(try later.undo(try #require(try later.actions().last)).kept == 5)
    let undo = try #require(try dataset.operations().first)
    #expect(undo.undoes == second)
  }

  @Test("takes the lock once to undo labels of photos, and completes the record of it")
  func locksOnce() throws {
    let scene = try ReviewScene()
    let locks = Mutex(0)
    var environment = Environment.machine
    environment.files = FileSystem { (_, path) throws(FileError) in
      if path.lastComponent?.string == "lock" { locks.withLock { $0 += 1 } }
    }
    let dataset = try Dataset(at: scene.dataset.root, environment: environment)
    let editor = try UndoableEditor(dataset)
    try editor.apply(.title("Mill"), to: scene.photos, as: "titles")
    let (number, action) = (try dataset.operation().number, try editor.actions().last)
    let before = locks.withLock { $0 }
    #expect(try editor.undo(try #require(action)).kept == 0)
    #expect(locks.withLock { $0 } == before + 1)
    #expect(try scene.dataset.operations().first { $0.number == number }?.isUndone == true)
  }

  @Test("undoes pins of photos at once, and keeps those that were changed since")
  func pins() throws {
    let scene = try ReviewScene()
    let editor = try UndoableEditor(scene.dataset)
    let location = try #require(Coordinate(latitude: 57.1, longitude: -4.7))
    let (old, new) = (
      try scene.dataset.addPin(at: location), try scene.dataset.addPin(at: location)
    )
    try scene.dataset.editPhotos(Array(scene.photos[..<5]), pin: .some(old.id))
    try editor.apply(.pin(new.id), to: scene.photos, as: "10 photos at another pin")
    try scene.dataset.editPhotos([scene.photos[9]], pin: .some(nil))
    let undone = try editor.undo(try #require(try editor.actions().last))
    #expect(undone.kept == 1 && undone.photos.count == 9)
    let pins = try scene.photos.map { try scene.dataset.show($0).photo.pin.value }
    #expect(pins == Array(repeating: old.id, count: 5) + Array(repeating: nil, count: 5))
  }
}
