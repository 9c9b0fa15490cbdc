import Cairn
import SystemPackage

/// Where a person answers: keys of a terminal, or lines.
protocol ReviewUI {
  /// How many columns and rows there are to write on.
  var size: (columns: Int, rows: Int) { get }
  /// Waits for a command.
  func command() -> ReviewAnswer
  /// Waits for the name of a class; `complete` returns what a beginning may become.
  func name(complete: @escaping (String) -> [String]) -> ReviewAnswer
  /// Waits for yes or no.
  func confirmation(_ question: String) -> ReviewAnswer
  /// Leaves the terminal as it was.
  func close()
}

enum ReviewAnswer {
  case command(ReviewStateMachine.Command)
  case text(String)
  case yes, no, cancelled, refresh
  /// The session is to end: by a signal, if one is given.
  case end(signal: Int32?)
}

/// Carries out what a session wants: the only one that looks things up, writes and asks.
final class ReviewController {
  private let dataset: Dataset
  private let sitting: ReviewSession
  private let front: any ReviewUI
  private var session: ReviewStateMachine
  private var question: ReviewQuestion?
  private var endingSignal: Int32?
  /// Whether it is ended without a word, since nobody reads it.
  private var isCutOff = false

  /// How the picture of a photo is shown above its question; nil for not at all.
  private let pictures: TerminalImageProtocol?

  init(
    _ dataset: Dataset, _ sitting: ReviewSession, _ items: [ReviewItem], _ front: any ReviewUI,
    pictures: TerminalImageProtocol? = nil
  ) {
    (self.dataset, self.sitting, self.front) = (dataset, sitting, front)
    self.pictures = pictures
    session = ReviewStateMachine(items)
  }

  /// Asks until the queue or the session ends.
  ///
  /// - Returns: The signal that ended it.
  func run() throws -> Int32? {
    var effects = session.start()
    while !isCutOff, !effects.isEmpty {
      let effect = effects.removeFirst()
      if effect == .finish { break }
      for event in try perform(effect) { effects += session.handle(event) }
    }
    return endingSignal
  }

  private func perform(_ effect: ReviewStateMachine.Effect) throws -> [ReviewStateMachine.Event] {
    switch effect {
    case .show(let item, let place, let count): return [try show(item, place, of: count)]
    case .prompt: return event(of: front.command())
    case .decide(_, let decision): return [.outcome(decide(decision))]
    case .undo: return [.outcome(undo())]
    case .toggleFavorite(let item): return [.outcome(toggleFavorite(item.key.photo))]
    case .open: return [.outcome(.told(open()))]
    case .readName: return try name()
    case .confirm(let name):
      return event(of: front.confirmation("There is no class “\(name)” yet. Add it?"))
    case .help:
      ReviewScreen.help.forEach { Console.print($0) }
      return []
    case .say(let words):
      Console.print("  " + words)
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
      (endingSignal, isCutOff) = (signal, true)
      return []
    }
  }

  // MARK: Effects

  private func show(_ item: ReviewItem, _ place: Int, of count: Int) throws
    -> ReviewStateMachine.Event
  {
    question = try sitting.question(item)
    guard let question else { return .gone }
    let screen = ReviewScreen(
      question, place: place, count: count, size: front.size, isHere: imageFile(question) != nil,
      isFavorite: question.isFavorite(of: sitting.me),
      // It may not have come yet.
      pin: question.photo.pin.value.flatMap { try? dataset.pin($0.text) })
    showPicture(question)
    screen.lines.forEach { Console.print($0) }
    return .shown
  }

  /// An error tells why, and the item stays: what was decided before is written already.
  private func attempt(
    _ body: () throws(CairnError) -> ReviewStateMachine.Outcome
  ) -> ReviewStateMachine.Outcome {
    do {
      return try body()
    } catch {
      return .told([error.message, error.hint].compactMap { $0 }.joined(separator: " "))
    }
  }

  private func decide(_ decision: ReviewStateMachine.Decision) -> ReviewStateMachine.Outcome {
    guard let question else { return .changed }
    return attempt { () throws(CairnError) in try sitting.answer(question, decision) }
  }

  private func undo() -> ReviewStateMachine.Outcome {
    attempt { () throws(CairnError) in
      guard let (item, words) = try sitting.undo() else {
        return .told("There is nothing to take back.")
      }
      return item.key.classKey == .favorite ? .told(words) : .undone(item, words)
    }
  }

  private func toggleFavorite(_ photo: PhotoID) -> ReviewStateMachine.Outcome {
    attempt { () throws(CairnError) in
      .told(
        try sitting.toggleFavorite(photo)
          ? "Added to your favorites." : "Removed from your favorites.")
    }
  }

  private func name() throws -> [ReviewStateMachine.Event] {
    let classes = try dataset.classCompletion()
    switch front.name(complete: classes.candidates) {
    case .text(let text):
      let name = text.split(separator: " ").joined(separator: " ")
      if name.isEmpty { return [.cancelled] }
      do {
        _ = try dataset.classKey(name)
        return [.named(name, isKnown: true)]
      } catch {
        // One beginning is often meant as the only name that has it, and never taken for it unasked.
        let meant = error.kind == .notFound ? classes.candidates(name) : []
        if meant.count == 1 {
          let answer = front.confirmation("There is no class “\(name)”. Is “\(meant[0])” meant?")
          if case .yes = answer { return [.named(meant[0], isKnown: true)] }
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
    guard let pictures else { return }
    var size = TerminalSize(of: 1)
    // The question stays in view.
    size.rows = max(size.rows - ReviewScreen.usualRows, size.rows / 2)
    let terminal = TerminalImage(way: pictures, size: size)
    do throws(CairnError) {
      let picture = try dataset.picture(of: question.photo.id, fitting: terminal.side)
      Console.write("\n" + terminal.sequence(of: picture))
    } catch {
      // That it is not here, the question says; all else of the photo can be told.
      if error.kind != .missingImage { Console.note(error.message) }
    }
  }

  /// Returns the path of the photo's image; nil where it is not on this disk.
  private func imageFile(_ question: ReviewQuestion) -> String? {
    let path = DocumentPath.image(question.photo.id, question.photo.image.format).description
    let file = dataset.root.string + "/" + path
    // In a copy without images a pointer stands for each.
    return fileSize(file) == question.photo.image.bytes ? file : nil
  }

  private func open() -> String {
    guard let question, let file = imageFile(question) else {
      return "The image is not on this disk; `cairn images pull` brings it."
    }
    guard let viewer = Viewer.program else {
      return "No viewer was found; CAIRN_VIEWER can name one. The image is \(file)."
    }
    return Viewer.open(file, with: viewer) ? "Opened." : "\(viewer) does not start."
  }

  // MARK: The end

  func printSummary() {
    func number(_ isMeant: (ReviewStateMachine.Decision) -> Bool) -> Int {
      session.decisions.count(where: isMeant)
    }
    let others = number { if case .other = $0 { true } else { false } }
    let parts = [
      (number { $0 == .accept }, "accepted"), (number { $0 == .reject }, "rejected"),
      (others, "given another class"), (number { $0 == .skip }, "skipped"),
      (session.undoneOfBefore, "of before taken back"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    Console.print()
    Console.print(parts.isEmpty ? "Nothing was decided." : parts.joined(separator: ", ") + ".")
    if session.decisions.contains(where: { $0 != .skip }) || session.undoneOfBefore > 0 {
      Console.print("That is in the working documents, and not committed.")
      Console.hint("`cairn sync` commits it and shares it.")
    }
  }
}
