import Cairn
import Testing

@testable import CairnCLI

@Suite("The state of a review")
struct ReviewStateMachineTests {
  private static func item(_ number: Int, _ classKey: String? = "dog") -> ReviewItem {
    let photo = PhotoID(digest: [UInt8](repeating: UInt8(number), count: 32))
    return ReviewItem(
      key: ReviewKey(photo: photo, classKey: classKey.flatMap { ClassKey($0) }),
      reasons: [.logged(.disputed, text: "because")], raised: .never)
  }

  private func show(_ place: Int, of count: Int = 3) -> ReviewStateMachine.Effect {
    .show(ReviewStateMachineTests.item(place - 1), position: place, count: count)
  }

  /// Returns a session of three items that asks about the first.
  private func asking() -> ReviewStateMachine {
    var session = ReviewStateMachine((0..<3).map { ReviewStateMachineTests.item($0) })
    #expect(session.start() == [show(1)])
    #expect(session.handle(.shown) == [.prompt])
    return session
  }

  @Test("ends at once when the queue is empty")
  func empty() {
    var session = ReviewStateMachine([])
    #expect(session.start() == [.finish])
    #expect(session.isFinished)
  }

  @Test("writes each answer before it shows the next item, and ends after the last")
  func answers() {
    var session = asking()
    let item = ReviewStateMachineTests.item
    #expect(session.handle(.command(.accept)) == [.decide(item(0, "dog"), .accept)])
    #expect(session.handle(.outcome(.decided(.accept))) == [show(2)])
    #expect(session.handle(.shown) == [.prompt])
    #expect(session.handle(.command(.reject)) == [.decide(item(1, "dog"), .reject)])
    #expect(session.handle(.outcome(.decided(.reject))) == [show(3)])
    #expect(session.handle(.shown) == [.prompt])
    #expect(session.handle(.command(.skip)) == [.decide(item(2, "dog"), .skip)])
    #expect(session.handle(.outcome(.decided(.skip))) == [.finish])
    #expect(session.decisions == [.accept, .reject, .skip])
  }

  @Test("skips items that are no longer open")
  func gone() {
    var session = ReviewStateMachine((0..<3).map { ReviewStateMachineTests.item($0) })
    _ = session.start()
    #expect(session.handle(.gone) == [show(2)])
    #expect(session.handle(.gone) == [show(3)])
    #expect(session.handle(.gone) == [.finish])
  }

  @Test("reports and skips an item settled meanwhile, and asks a changed one again")
  func meanwhile() {
    var session = asking()
    _ = session.handle(.command(.accept))
    #expect(
      session.handle(.outcome(.alreadyDecided(nil))) == [
        .showMessage(.alreadyDecided(nil)), show(2),
      ])
    _ = session.handle(.shown)
    _ = session.handle(.command(.accept))
    let effects = session.handle(.outcome(.changed))
    #expect(effects == [.showMessage(.changed), show(2)])
    #expect(session.decisions.isEmpty)
  }

  @Test("asks for another class and confirms a new one first")
  func otherClass() {
    var session = asking()
    #expect(session.handle(.command(.other)) == [.readName])
    #expect(session.handle(.named("cat", isKnown: false)) == [.confirm("cat")])
    #expect(session.handle(.confirmed(false)) == [.prompt])
    _ = session.handle(.command(.other))
    _ = session.handle(.named("cat", isKnown: false))
    let item = ReviewStateMachineTests.item(0)
    #expect(session.handle(.confirmed(true)) == [.decide(item, .other("cat"))])
    _ = session.handle(.outcome(.decided(.other("cat"))))
    _ = session.handle(.shown)
    _ = session.handle(.command(.other))
    #expect(session.handle(.cancelled) == [.prompt])
    _ = session.handle(.command(.other))
    #expect(
      session.handle(.named("oak", isKnown: true))
        == [.decide(ReviewStateMachineTests.item(1), .other("oak"))])
  }

  @Test("takes a class of the question by its number, without naming it first")
  func numberKey() {
    var session = asking()
    let item = ReviewStateMachineTests.item(0)
    #expect(session.handle(.named("cat", isKnown: true)) == [.decide(item, .other("cat"))])
    #expect(session.handle(.outcome(.decided(.other("cat")))) == [show(2)])
    // An unknown class is named and confirmed first.
    _ = session.handle(.shown)
    #expect(session.handle(.named("dog", isKnown: false)) == [])
  }

  @Test("offers no other class for a photo as a whole")
  func wholePhoto() {
    var session = ReviewStateMachine([ReviewStateMachineTests.item(0, nil)])
    _ = session.start()
    _ = session.handle(.shown)
    let effects = session.handle(.command(.other))
    #expect(effects == [.showMessage(.noOtherClass), .prompt])
  }

  @Test("asks an undone item again in its place, one after the other")
  func undo() {
    var session = asking()
    for _ in 0..<2 {
      _ = session.handle(.command(.accept))
      _ = session.handle(.outcome(.decided(.accept)))
      _ = session.handle(.shown)
    }
    for number in [1, 0] {
      #expect(session.handle(.command(.undo)) == [.undo])
      let item = ReviewStateMachineTests.item(number)
      #expect(
        session.handle(.outcome(.undone(item, .asBefore)))
          == [.showMessage(.undone(.asBefore)), show(number + 1)])
      _ = session.handle(.shown)
    }
    #expect(session.decisions.isEmpty)
    // An item that an earlier session decided is inserted.
    _ = session.handle(.command(.undo))
    let before = ReviewStateMachineTests.item(7)
    let effects = session.handle(.outcome(.undone(before, .asBefore)))
    #expect(
      effects.last
        == .show(before, position: 1, count: 4))
    #expect(session.undoneFromEarlierSessions == 1)
    _ = session.handle(.shown)
    _ = session.handle(.command(.accept))
    #expect(
      session.handle(.outcome(.decided(.accept)))
        == [.show(ReviewStateMachineTests.item(0), position: 2, count: 4)])
  }

  @Test("stays at an item whose answer could not be written")
  func failed() {
    var session = asking()
    _ = session.handle(.command(.accept))
    #expect(
      session.handle(.outcome(.message(.text("no space")))) == [
        .showMessage(.text("no space")), .prompt,
      ])
    #expect(session.current == ReviewStateMachineTests.item(0))
    #expect(session.decisions.isEmpty)
  }

  @Test("ignores input at the wrong time")
  func wrongTime() {
    var session = ReviewStateMachine([ReviewStateMachineTests.item(0)])
    _ = session.start()
    // Typed before the item was shown.
    #expect(session.handle(.command(.accept)).isEmpty)
    #expect(session.handle(.confirmed(true)).isEmpty)
    _ = session.handle(.shown)
    #expect(session.handle(.confirmed(true)).isEmpty)
    #expect(session.handle(.named("cat", isKnown: false)).isEmpty)
    #expect(session.handle(.outcome(.decided(.accept))).isEmpty)
    _ = session.handle(.command(.quit))
    #expect(session.isFinished)
    #expect(session.handle(.command(.accept)).isEmpty)
  }

  @Test("stays at an item after help, a favorite, the viewer or a redraw")
  func asides() {
    var session = asking()
    #expect(session.handle(.refresh) == [show(1)])
    _ = session.handle(.shown)
    #expect(session.handle(.command(.help)) == [.help, .prompt])
    let item = ReviewStateMachineTests.item(0)
    #expect(session.handle(.command(.favorite)) == [.toggleFavorite(item)])
    #expect(
      session.handle(.outcome(.message(.text("yours")))) == [.showMessage(.text("yours")), .prompt])
    #expect(session.handle(.command(.open)) == [.open(item)])
    #expect(
      session.handle(.outcome(.message(.text("open")))) == [.showMessage(.text("open")), .prompt])
  }

  @Test(
    "maps keys to commands in either case",
    arguments: [
      ("a", .accept), ("Y", .accept), ("n", .reject), ("R", .reject), ("c", .other), ("s", .skip),
      ("u", .undo), ("f", .favorite), ("o", .open), ("?", .help), ("h", .help), ("q", .quit),
      ("x", nil), ("é", nil), (" ", nil),
    ] as [(Character, ReviewStateMachine.Command?)])
  func keys(key: Character, command: ReviewStateMachine.Command?) {
    #expect(ReviewStateMachine.Command(key: key) == command)
  }
}
