public import CairnDocument

/// A person going through a queue: what they may do next, and what is to be done about what they did.
///
/// It touches nothing: each event returns the effects that somebody else carries out, and their
/// outcomes come back as events.
public struct ReviewSession: Sendable {
  /// What a person can do, by the keys for it.
  public enum Command: Character, Sendable, CaseIterable {
    case accept = "a"
    case reject = "r"
    case other = "c"
    case skip = "s"
    case undo = "u"
    case favorite = "f"
    case open = "o"
    case help = "?"
    case quit = "q"

    /// Takes a key, in either case; “y” and “n” answer, too.
    public init?(key: Character) {
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

  public enum Event: Equatable, Sendable {
    case command(Command)
    /// A class was named; whether the dataset has one of that name.
    case named(String, isKnown: Bool)
    case confirmed(Bool)
    /// Nothing was named after all.
    case cancelled
    /// To be asked anew, as after the window changed.
    case refresh
    /// The item is before the person.
    case shown
    /// It is no longer asked: somebody has settled it, or oneself.
    case gone
    case outcome(Outcome)
  }

  /// What became of an effect.
  public enum Outcome: Equatable, Sendable {
    case decided(Decision)
    /// Somebody else settled it meanwhile: nothing was written. In words.
    case settled(String)
    /// Something was said of it meanwhile: nothing was written.
    case changed
    case undone(ReviewItem, String)
    /// In words; the item stays.
    case told(String)
  }

  public enum Decision: Equatable, Sendable {
    case accept, reject, skip
    /// Another class, by its name.
    case other(String)
  }

  public enum Effect: Equatable, Sendable {
    /// Look the item up and show it: answered by ``Event/shown`` or ``Event/gone``.
    case show(ReviewItem, place: Int, count: Int)
    /// Wait for a command.
    case prompt
    case decide(ReviewItem, Decision)
    case undo
    case toggleFavorite(ReviewItem)
    case open(ReviewItem)
    case readName
    /// Ask whether a class of this name is to be added.
    case confirm(String)
    case help
    case say(String)
    case finish
  }

  private enum State: Equatable {
    case asking, naming
    case confirming(String)
    case waiting, finished
  }

  private var items: [ReviewItem]
  private var place = 0
  private var state = State.waiting
  /// What was decided in this session, the last at the end.
  public private(set) var decisions: [Decision] = []
  /// How many decisions of before this session were taken back.
  public private(set) var undoneOfBefore = 0

  public init(_ items: [ReviewItem]) { self.items = items }

  public var isFinished: Bool { state == .finished }

  /// The item that is asked; nil at the end.
  public var current: ReviewItem? { place < items.count ? items[place] : nil }

  /// Returns what to do first.
  public mutating func start() -> [Effect] { show() }

  private mutating func show() -> [Effect] {
    guard let item = current else {
      state = .finished
      return [.finish]
    }
    state = .waiting
    return [.show(item, place: place + 1, count: items.count)]
  }

  private mutating func prompt() -> [Effect] {
    state = .asking
    return [.prompt]
  }

  private mutating func next() -> [Effect] {
    place += 1
    return show()
  }

  /// Returns what to do about an event; an event that does not fit is passed over.
  public mutating func handle(_ event: Event) -> [Effect] {
    switch (event, state) {
    case (.shown, .waiting): return prompt()
    case (.gone, .waiting): return next()
    case (.outcome(let outcome), .waiting): return follow(outcome)
    case (.refresh, .asking): return show()
    case (.command(let command), .asking): return current.map { follow(command, $0) } ?? show()
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
      guard item.key.classKey != nil else {
        return [
          .say("This is about the photo as a whole: accept brings it back, reject leaves it.")
        ]
          + prompt()
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

  private mutating func decide(_ decision: Decision) -> [Effect] {
    guard let item = current else { return show() }
    state = .waiting
    return [.decide(item, decision)]
  }

  private mutating func follow(_ outcome: Outcome) -> [Effect] {
    switch outcome {
    case .decided(let decision):
      decisions.append(decision)
      return next()
    case .settled(let words): return [.say(words)] + next()
    case .changed:
      return [.say("Something was said of it meanwhile: look again. Nothing was written.")] + show()
    case .undone(let item, let words):
      if decisions.popLast() == nil { undoneOfBefore += 1 }
      goBack(to: item)
      return [.say(words)] + show()
    case .told(let words): return [.say(words)] + prompt()
    }
  }

  /// Asks an item again: one of this session in its place, one of before next.
  private mutating func goBack(to item: ReviewItem) {
    if let known = items.firstIndex(where: { $0.key == item.key }) {
      place = known
    } else {
      items.insert(item, at: place)
    }
  }
}
