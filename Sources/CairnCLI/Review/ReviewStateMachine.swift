import Cairn

/// The state of a person's pass through the review queue: allowed commands and their effects.
///
/// It performs no effects itself: each event returns effects for the caller to carry out, and their
/// outcomes come back as events.
struct ReviewStateMachine: Sendable {
  /// The commands of a person, with their keys.
  enum Command: Character, Sendable, CaseIterable {
    case accept = "a"
    case reject = "r"
    case other = "c"
    case skip = "s"
    case undo = "u"
    case favorite = "f"
    case open = "o"
    case help = "?"
    case quit = "q"

    /// Parses a key, in either case; “y” and “n” are accepted too.
    init?(key: Character) {
      switch key.lowercased() {
      case "y": self = .accept
      case "n": self = .reject
      case "h": self = .help
      case let letter:
        guard let command = letter.first.flatMap(Command.init(rawValue:)) else { return nil }
        self = command
      }
    }
  }

  enum Event: Equatable, Sendable {
    case command(Command)
    /// A class was named; `isKnown` reports whether the dataset has it.
    case named(String, isKnown: Bool)
    case confirmed(Bool)
    /// Naming a class was canceled.
    case cancelled
    /// Ask again, for example after the window was resized.
    case refresh
    /// The item is on the screen.
    case shown
    /// The item is no longer open: it has been decided, by this or another person.
    case gone
    case outcome(Outcome)
  }

  /// The outcome of an effect.
  enum Outcome: Equatable, Sendable {
    case decided(ReviewDecision)
    /// Someone has settled it in the meantime, and nothing was written. With the resolution of
    /// its class, if any.
    case alreadyDecided(Resolution?)
    /// Someone has labeled it in the meantime, and nothing was written.
    case changed
    /// The last answer was undone, or could not be if there is no outcome; the item is asked
    /// again.
    case undone(ReviewItem, UndoOutcome?)
    /// A message; the item stays.
    case message(ReviewMessage)
  }

  enum Effect: Equatable, Sendable {
    /// Look up the item and show it: answered by ``Event/shown`` or ``Event/gone``.
    case show(ReviewItem, position: Int, count: Int)
    /// Wait for a command.
    case prompt
    case decide(ReviewItem, ReviewDecision)
    case undo
    case toggleFavorite(ReviewItem)
    case open(ReviewItem)
    case readName
    /// Ask whether to create a class of this name.
    case confirm(String)
    case help
    case showMessage(ReviewMessage)
    case finish
  }

  private enum State: Equatable {
    case asking, naming
    case confirming(String)
    case waiting, finished
  }

  private var items: [ReviewItem]
  private var position = 0
  private var state = State.waiting
  /// The decisions of this session, oldest first.
  private(set) var decisions: [ReviewDecision] = []
  /// The number of undone decisions of earlier sessions.
  private(set) var undoneFromEarlierSessions = 0

  init(_ items: [ReviewItem]) { self.items = items }

  var isFinished: Bool { state == .finished }

  /// The item being asked; nil at the end.
  var current: ReviewItem? { position < items.count ? items[position] : nil }

  /// Returns the first effects.
  mutating func start() -> [Effect] { show() }

  private mutating func show() -> [Effect] {
    guard let item = current else {
      state = .finished
      return [.finish]
    }
    state = .waiting
    return [.show(item, position: position + 1, count: items.count)]
  }

  private mutating func prompt() -> [Effect] {
    state = .asking
    return [.prompt]
  }

  private mutating func next() -> [Effect] {
    position += 1
    return show()
  }

  /// Returns the effects of an event; an event that does not fit the state has none.
  mutating func handle(_ event: Event) -> [Effect] {
    switch (event, state) {
    case (.shown, .waiting): return prompt()
    case (.gone, .waiting): return next()
    case (.outcome(let outcome), .waiting): return follow(outcome)
    case (.refresh, .asking): return show()
    case (.command(let command), .asking): return current.map { follow(command, $0) } ?? show()
    // A number key names a class of the question.
    case (.named(let name, isKnown: true), .asking):
      return current == nil ? show() : decide(.other(name))
    case (.named(let name, let isKnown), .naming):
      if isKnown { return decide(.other(name)) }
      state = .confirming(name)
      return [.confirm(name)]
    case (.confirmed(true), .confirming(let name)): return decide(.other(name))
    case (.confirmed(false), .confirming), (.cancelled, .confirming), (.cancelled, .naming):
      return prompt()
    default: return []
    }
  }

  private mutating func follow(_ command: Command, _ item: ReviewItem) -> [Effect] {
    switch command {
    case .accept: return decide(.accept)
    case .reject: return decide(.reject)
    case .skip: return decide(.skip)
    case .other:
      guard item.classKey != nil else {
        return [.showMessage(.noOtherClass)] + prompt()
      }
      state = .naming
      return [.readName]
    case .undo:
      state = .waiting
      return [.undo]
    case .favorite:
      state = .waiting
      return [.toggleFavorite(item)]
    case .open:
      state = .waiting
      return [.open(item)]
    case .help: return [.help] + prompt()
    case .quit:
      state = .finished
      return [.finish]
    }
  }

  private mutating func decide(_ decision: ReviewDecision) -> [Effect] {
    guard let item = current else { return show() }
    state = .waiting
    return [.decide(item, decision)]
  }

  private mutating func follow(_ outcome: Outcome) -> [Effect] {
    switch outcome {
    case .decided(let decision):
      decisions.append(decision)
      return next()
    case .alreadyDecided(let resolution):
      return [.showMessage(.alreadyDecided(resolution))] + next()
    case .changed: return [.showMessage(.changed)] + show()
    case .undone(let item, let outcome):
      if decisions.popLast() == nil { undoneFromEarlierSessions += 1 }
      goBack(to: item)
      return [.showMessage(.undone(outcome))] + show()
    case .message(let message): return [.showMessage(message)] + prompt()
    }
  }

  /// Asks an item again: an item of this session at its position, one of an earlier session next.
  private mutating func goBack(to item: ReviewItem) {
    if let known = items.firstIndex(where: { $0.isAbout(item) }) {
      position = known
    } else {
      items.insert(item, at: position)
    }
  }
}
