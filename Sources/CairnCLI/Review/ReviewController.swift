import Cairn
import SystemPackage

/// Reads a person's answers, as single keys or as lines.
protocol ReviewUI {
  /// The number of columns and rows of the screen.
  var size: (columns: Int, rows: Int) { get }
  /// Waits for a command.
  func command() -> ReviewAnswer
  /// Waits for the name of a class; `complete` returns the names that begin with a text.
  func name(complete: @escaping (String) -> [String]) -> ReviewAnswer
  /// Waits for yes or no.
  func confirmation(_ question: String) -> ReviewAnswer
  /// Restores the settings of the terminal.
  func close()
}

enum ReviewAnswer {
  case command(ReviewStateMachine.Command)
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

  /// The protocol that shows photos above their questions; nil to show none.
  private let imageProtocol: TerminalImageProtocol?

  init(
    _ dataset: Dataset, _ session: ReviewSession, _ items: [ReviewItem], _ ui: any ReviewUI,
    imageProtocol: TerminalImageProtocol? = nil
  ) {
    (self.dataset, self.session, self.ui) = (dataset, session, ui)
    self.imageProtocol = imageProtocol
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
    case .prompt: return event(of: ui.command())
    case .decide(_, let decision): return [.outcome(decide(decision))]
    case .undo: return [.outcome(undo())]
    case .toggleFavorite(let item): return [.outcome(toggleFavorite(item.key.photo))]
    case .open: return [.outcome(.message(.text(open())))]
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
    let screen = ReviewScreen(
      question, position: position, count: count, size: ui.size,
      hasImage: imageFile(question) != nil, isFavorite: question.isFavorite(of: session.me),
      // The pin may not have been fetched yet.
      pin: question.photo.pin.value.flatMap { try? dataset.pin($0.text) })
    showPicture(question)
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

  private func decide(_ decision: ReviewStateMachine.Decision) -> ReviewStateMachine.Outcome {
    guard let question else { return .changed }
    return attempt { () throws(CairnError) in try session.answer(question, decision) }
  }

  private func undo() -> ReviewStateMachine.Outcome {
    attempt { () throws(CairnError) in
      guard let (item, outcome) = try session.undo() else {
        return .message(.text("There is nothing to undo."))
      }
      return item.key.classKey == .favorite
        ? .message(.undone(outcome)) : .undone(item, outcome)
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
    let classes = try dataset.classCompletion()
    switch ui.name(complete: classes.candidates) {
    case .text(let text):
      let name = text.split(separator: " ").joined(separator: " ")
      if name.isEmpty { return [.cancelled] }
      do {
        _ = try dataset.classKey(name)
        return [.named(name, isKnown: true)]
      } catch {
        // A unique prefix of a name probably means that name, but ask to make sure.
        let candidates = error.kind == .notFound ? classes.candidates(name) : []
        if candidates.count == 1 {
          let answer = ui.confirmation(
            "There is no class “\(name)”. Did you mean “\(candidates[0])”?")
          if case .yes = answer { return [.named(candidates[0], isKnown: true)] }
          guard case .no = answer else { return event(of: answer) }
        }
        if error.kind == .notFound, ClassKey(naming: name) != nil {
          return [.named(name, isKnown: false)]
        }
        Console.print(
          "  "
            + (error.kind == .notFound ? "“\(name)” cannot be the name of a class." : error.message)
        )
        return [.cancelled]
      }
    case let answer: return event(of: answer)
    }
  }

  // MARK: The image

  private func showPicture(_ question: ReviewQuestion) {
    guard let imageProtocol else { return }
    var size = TerminalSize(of: 1)
    // Leave room for the question.
    size.rows = max(size.rows - ReviewScreen.defaultRows, size.rows / 2)
    let terminal = TerminalImage(imageProtocol: imageProtocol, size: size)
    do throws(CairnError) {
      let picture = try dataset.picture(of: question.photo.id, fitting: terminal.side)
      Console.write("\n" + terminal.sequence(of: picture))
    } catch {
      // The question itself reports that the image is missing.
      if error.kind != .missingImage { Console.note(error.message) }
    }
  }

  /// Returns the path of the photo's image; nil if it is not on this disk.
  private func imageFile(_ question: ReviewQuestion) -> String? {
    let path = DocumentPath.image(question.photo.id, question.photo.image.format).description
    let file = dataset.root.string + "/" + path
    // A missing image has a pointer in its place, which is smaller.
    return fileSize(file) == question.photo.image.bytes ? file : nil
  }

  private func open() -> String {
    guard let question, let file = imageFile(question) else {
      return "The image is not on this disk; `cairn images fetch` fetches it."
    }
    do throws(CairnError) {
      try ImageViewer.show(FilePath(file))
      return "Opened."
    } catch {
      return [error.message, error.hint].compactMap(\.self).joined(separator: " ")
    }
  }

  // MARK: The end

  func printSummary() {
    func number(_ matches: (ReviewStateMachine.Decision) -> Bool) -> Int {
      stateMachine.decisions.count(where: matches)
    }
    let others = number { if case .other = $0 { true } else { false } }
    let parts = [
      (number { $0 == .accept }, "accepted"), (number { $0 == .reject }, "rejected"),
      (others, "given another class"), (number { $0 == .skip }, "skipped"),
      (stateMachine.undoneFromEarlierSessions, "of earlier reviews undone"),
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
