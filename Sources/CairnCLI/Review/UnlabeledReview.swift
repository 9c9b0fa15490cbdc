import Cairn

/// Asks “What is it?” about photos that nobody labeled, or that a model is uncertain about, one after
/// another.
final class UnlabeledReview {
  private let dataset: Dataset
  private let session: ReviewSession
  private let photos: [PhotoID]
  private let uncertain: UncertainPhotos?
  private let ui: any ReviewUI
  private let picture: ReviewPicture
  private var suggestions: ClassSuggestions
  private var position = 0
  private var (labeled, skipped, undone) = (0, 0, 0)
  /// What can be undone in this session, the oldest first.
  private var actions: [Action] = []

  private enum Action {
    /// It is in the session's history.
    case answered
    case skipped(position: Int)
  }

  /// What follows an answer.
  private enum Step {
    /// Show the question at the current position.
    case show
    /// Wait for another command on the same question.
    case stay
    case end(signal: Int32?)
  }

  init(
    _ dataset: Dataset, _ session: ReviewSession, _ photos: [PhotoID],
    of uncertain: UncertainPhotos?, _ ui: any ReviewUI, _ suggestions: ClassSuggestions,
    imageProtocol: TerminalImageProtocol?
  ) {
    (self.dataset, self.session, self.photos, self.ui) = (dataset, session, photos, ui)
    (self.uncertain, self.suggestions) = (uncertain, suggestions)
    picture = ReviewPicture(dataset: dataset, imageProtocol: imageProtocol)
  }

  /// Asks until the photos or the session end.
  ///
  /// - Returns: The signal that ended the session, if any.
  func run() throws -> Int32? {
    while position < photos.count {
      guard let question = try session.unlabeled(photos[position], of: uncertain) else {
        position += 1
        continue
      }
      let options = try suggestions.options(forUnlabeled: question)
      show(question, options)
      var step = Step.stay
      while case .stay = step {
        step = try follow(ui.command(options: options.count), question, options)
      }
      if case .end(let signal) = step { return signal }
    }
    return nil
  }

  private func show(_ question: ReviewQuestion, _ options: [ReviewOption]) {
    let screen = ReviewScreen(
      question, options: options, position: position + 1, count: photos.count, size: ui.size,
      hasImage: picture.file(of: question.photo) != nil,
      isFavorite: question.isFavorite(of: session.me),
      // The pin may not have been fetched yet.
      pin: question.photo.pin.value.flatMap { try? dataset.pin($0.text) })
    picture.show(question)
    screen.lines.forEach { Console.print($0) }
  }

  private func follow(
    _ answer: ReviewAnswer, _ question: ReviewQuestion, _ options: [ReviewOption]
  ) throws -> Step {
    switch answer {
    case .option(let number): return label(question, options[number - 1].classKey.text)
    case .end(let signal): return .end(signal: signal)
    case .refresh: return .show
    case .command(let command): return try follow(command, question, options)
    case .text, .yes, .no, .cancelled: return .stay
    }
  }

  private func follow(
    _ command: ReviewStateMachine.Command, _ question: ReviewQuestion, _ options: [ReviewOption]
  ) throws -> Step {
    switch command {
    case .accept:
      if let first = options.first, first.confidence != nil {
        return label(question, first.classKey.text)
      }
      return say("No model predicts a class: type a number, or c and the name of a class.")
    case .reject: return say("There is no suggestion to reject; s skips the photo.")
    case .other: return try name(question)
    case .skip:
      actions.append(.skipped(position: position))
      skipped += 1
      position += 1
      return .show
    case .undo: return undo()
    case .favorite:
      do throws(CairnError) {
        let isFavorite = try session.toggleFavorite(question.photo.id)
        actions.append(.answered)
        return say(isFavorite ? "Added to your favorites." : "Removed from your favorites.")
      } catch { return say(error) }
    case .open: return say(picture.open(question.photo))
    case .help:
      ReviewScreen.help.forEach { Console.print($0) }
      return .stay
    case .quit: return .end(signal: nil)
    }
  }

  // MARK: Answers

  private func name(_ question: ReviewQuestion) throws -> Step {
    switch try ClassNamePrompt(dataset: dataset, ui: ui).read() {
    case .named(let name, isKnown: true): return label(question, name)
    case .named(let name, isKnown: false):
      let answer = ui.confirmation("Create the class “\(name)”?")
      if case .yes = answer { return label(question, name) }
      if case .end(let signal) = answer { return .end(signal: signal) }
      return .stay
    case .cancelled: return .stay
    case .other(.end(let signal)): return .end(signal: signal)
    case .other: return .stay
    }
  }

  private func label(_ question: ReviewQuestion, _ name: String) -> Step {
    do throws(CairnError) {
      guard let key = try session.label(question.photo.id, as: name, of: uncertain) else {
        _ = say(ReviewMessage.alreadyDecided(nil).text)
        position += 1
        return .show
      }
      try suggestions.note(key)
      actions.append(.answered)
      labeled += 1
      position += 1
      return .show
    } catch { return say(error) }
  }

  private func undo() -> Step {
    if case .skipped(let position)? = actions.last {
      actions.removeLast()
      self.position = position
      skipped -= 1
      _ = say(ReviewMessage.undone(.asBefore).text)
      return .show
    }
    do throws(CairnError) {
      guard let undone = try session.undo() else {
        return say("There is nothing to undo.")
      }
      _ = actions.popLast()
      _ = say(ReviewMessage.undone(undone.outcome).text)
      guard undone.item.classKey != .favorite else { return .stay }
      if labeled > 0 { labeled -= 1 } else { self.undone += 1 }
      if let index = photos.firstIndex(of: undone.item.photo) { position = index }
      return .show
    } catch { return say(error) }
  }

  private func say(_ text: String) -> Step {
    Console.print("  " + text)
    return .stay
  }

  private func say(_ error: CairnError) -> Step {
    say([error.message, error.hint].compactMap(\.self).joined(separator: " "))
  }

  // MARK: The end

  func printSummary() {
    let parts = [
      (labeled, "labeled"), (skipped, "skipped"), (undone, "undone from earlier reviews"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    Console.print()
    Console.print(parts.isEmpty ? "Nothing was decided." : parts.joined(separator: ", ") + ".")
    if labeled + undone > 0 {
      Console.print("Your answers are saved, but not committed.")
      Console.hint("`cairn sync` commits and shares them.")
    }
  }
}
