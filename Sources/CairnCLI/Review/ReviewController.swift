import Cairn

/// Reads a person's answers, as single keys or as lines.
protocol ReviewUI {
  /// The number of columns and rows of the screen.
  var size: (columns: Int, rows: Int) { get }
  /// Waits for a command.
  ///
  /// - Parameter options: The number of classes that number keys choose.
  func command(options: Int) -> ReviewAnswer
  /// Waits for the name of a class; `complete` returns the names that begin with a text.
  func name(complete: @escaping (String) -> [String]) -> ReviewAnswer
  /// Waits for yes or no.
  func confirmation(_ question: String) -> ReviewAnswer
  /// Restores the settings of the terminal.
  func close()
}

enum ReviewAnswer {
  case command(ReviewStateMachine.Command)
  /// A class, by its number from 1.
  case option(Int)
  case text(String)
  case yes, no, cancelled, refresh
  /// End the session, because of a signal if one is given.
  case end(signal: Int32?)
}

/// Carries out the effects of a review's state machine: reads the dataset, writes answers and asks.
final class ReviewController {
  private let dataset: Dataset
  private let session: ReviewSession
  private let ui: any ReviewUI
  private var stateMachine: ReviewStateMachine
  private var question: ReviewQuestion?
  private var endingSignal: Int32?
  /// Whether the terminal or its input has ended, so that no more effects are carried out.
  private var hasEnded = false

  private let picture: ReviewPicture
  private let suggestions: ClassSuggestions
  /// The classes of the exclusive set that the question is about, by their number keys.
  private var options: [ReviewOption] = []

  init(
    _ dataset: Dataset, _ session: ReviewSession, _ items: [ReviewItem], _ ui: any ReviewUI,
    _ suggestions: ClassSuggestions, imageProtocol: TerminalImageProtocol? = nil
  ) {
    (self.dataset, self.session, self.ui) = (dataset, session, ui)
    self.suggestions = suggestions
    picture = ReviewPicture(dataset: dataset, imageProtocol: imageProtocol)
    stateMachine = ReviewStateMachine(items)
  }

  /// Asks until the queue or the session ends.
  ///
  /// - Returns: The signal that ended the session, if any.
  func run() throws -> Int32? {
    var effects = stateMachine.start()
    while !hasEnded, !effects.isEmpty {
      let effect = effects.removeFirst()
      if effect == .finish { break }
      for event in try perform(effect) { effects += stateMachine.handle(event) }
    }
    return endingSignal
  }

  private func perform(_ effect: ReviewStateMachine.Effect) throws -> [ReviewStateMachine.Event] {
    switch effect {
    case .show(let item, let position, let count): return [try show(item, position, of: count)]
    case .prompt: return event(of: ui.command(options: options.count))
    case .decide(_, let decision): return [.outcome(decide(decision))]
    case .undo: return [.outcome(undo())]
    case .toggleFavorite(let item): return [.outcome(toggleFavorite(item.photo))]
    case .open: return [.outcome(.message(.text(question.map { picture.open($0.photo) } ?? "")))]
    case .readName: return try name()
    case .confirm(let name):
      return event(of: ui.confirmation("Create the class “\(name)”?"))
    case .help:
      ReviewScreen.help.forEach { Console.print($0) }
      return []
    case .showMessage(let message):
      Console.print("  " + message.text)
      return []
    case .finish: return []
    }
  }

  private func event(of answer: ReviewAnswer) -> [ReviewStateMachine.Event] {
    switch answer {
    case .command(let command): return [.command(command)]
    case .option(let number):
      let chosen = options[number - 1].classKey
      return chosen == question?.classKey
        ? [.command(.accept)] : [.named(chosen.text, isKnown: true)]
    case .yes: return [.confirmed(true)]
    case .no: return [.confirmed(false)]
    case .cancelled, .text: return [.cancelled]
    case .refresh: return [.refresh]
    case .end(let signal):
      (endingSignal, hasEnded) = (signal, true)
      return []
    }
  }

  // MARK: Effects

  private func show(_ item: ReviewItem, _ position: Int, of count: Int) throws
    -> ReviewStateMachine.Event
  {
    question = try session.question(item)
    guard let question else { return .gone }
    options = suggestions.options(for: question)
    // There is nothing to choose from.
    if options.count == 1 { options = [] }
    let screen = ReviewScreen(
      question, options: options, position: position, count: count, size: ui.size,
      hasImage: picture.file(of: question.photo) != nil,
      isFavorite: question.isFavorite(of: session.me),
      // The pin may not have been fetched yet.
      pin: question.photo.pin.value.flatMap { try? dataset.pin($0.text) })
    picture.show(question)
    screen.lines.forEach { Console.print($0) }
    return .shown
  }

  /// Returns the outcome of `body`. After an error its message is shown and the item is asked
  /// again; earlier decisions are already saved.
  private func attempt(
    _ body: () throws(CairnError) -> ReviewStateMachine.Outcome
  ) -> ReviewStateMachine.Outcome {
    do {
      return try body()
    } catch {
      let text = [error.message, error.hint].compactMap { $0 }.joined(separator: " ")
      return .message(.text(text))
    }
  }

  private func decide(_ decision: ReviewDecision) -> ReviewStateMachine.Outcome {
    guard let question else { return .changed }
    return attempt { () throws(CairnError) in
      switch try session.answer(question, decision) {
      case .decided(let decision): .decided(decision)
      case .alreadyDecided(let resolution): .alreadyDecided(resolution)
      case .changed: .changed
      }
    }
  }

  private func undo() -> ReviewStateMachine.Outcome {
    attempt { () throws(CairnError) in
      guard let undone = try session.undo() else {
        return .message(.text("There is nothing to undo."))
      }
      return undone.item.classKey == .favorite
        ? .message(.undone(undone.outcome)) : .undone(undone.item, undone.outcome)
    }
  }

  private func toggleFavorite(_ photo: PhotoID) -> ReviewStateMachine.Outcome {
    attempt { () throws(CairnError) in
      let isFavorite = try session.toggleFavorite(photo)
      return .message(
        .text(isFavorite ? "Added to your favorites." : "Removed from your favorites."))
    }
  }

  private func name() throws -> [ReviewStateMachine.Event] {
    switch try ClassNamePrompt(dataset: dataset, ui: ui).read() {
    case .named(let name, let isKnown): return [.named(name, isKnown: isKnown)]
    case .cancelled: return [.cancelled]
    case .other(let answer): return event(of: answer)
    }
  }

  // MARK: The end

  func printSummary() {
    func number(_ matches: (ReviewDecision) -> Bool) -> Int {
      stateMachine.decisions.count(where: matches)
    }
    let others = number { if case .other = $0 { true } else { false } }
    let parts = [
      (number { $0 == .accept }, "accepted"), (number { $0 == .reject }, "rejected"),
      (others, "given another class"), (number { $0 == .skip }, "skipped"),
      (stateMachine.undoneFromEarlierSessions, "undone from earlier reviews"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    Console.print()
    Console.print(parts.isEmpty ? "Nothing was decided." : parts.joined(separator: ", ") + ".")
    if stateMachine.decisions.contains(where: { $0 != .skip })
      || stateMachine.undoneFromEarlierSessions > 0
    {
      Console.print("Your answers are saved, but not committed.")
      Console.hint("`cairn sync` commits and shares them.")
    }
  }
}
