import Cairn
import CairnTerminal

/// Reads answers as single keys of a terminal.
final class TerminalUI: ReviewUI {
  private let terminal: RawTerminal

  init() throws {
    guard let terminal = RawTerminal() else {
      throw CairnError(.invalidInput, "The terminal cannot be switched to single-key input.")
    }
    self.terminal = terminal
  }

  var size: (columns: Int, rows: Int) { terminal.size }

  func close() { terminal.restore() }

  private static let keys = "(a)ccept (r)eject (c)lass (s)kip (u)ndo (f)avorite (o)pen (?) (q)uit"
  private static let shortKeys = "a r c s u f o ? q"

  func command(options: Int) -> ReviewAnswer {
    let numbers = options > 0 ? "1-\(options) " : ""
    let fits = (numbers + TerminalUI.keys).count + 3 < size.columns
    show(numbers + (fits ? TerminalUI.keys : TerminalUI.shortKeys) + " › ")
    while true {
      switch terminal.next() {
      case .key(.text(let scalar)):
        if let number = Int(String(scalar)), 1...max(1, options) ~= number, options > 0 {
          show("\(number)\n")
          return .option(number)
        }
        guard let command = ReviewStateMachine.Command(key: Character(scalar)) else { continue }
        show("\(command)\n")
        return .command(command)
      case .key(.control("d")):
        show("\n")
        return .command(.quit)
      case .key: continue
      case .redraw:
        show("\n")
        return .refresh
      case .end(let signal): return end(signal)
      }
    }
  }

  func name(complete: @escaping (String) -> [String]) -> ReviewAnswer {
    var editor = LineEditor()
    while true {
      let choice = editor.choice.map { "  (\($0.number) of \($0.count))" } ?? ""
      showLine("class: \(editor.text)", choice)
      switch terminal.next() {
      case .key(let key):
        switch editor.take(key, complete: complete) {
        case .editing: continue
        case .entered(let text):
          show("\n")
          return .text(text)
        case .cancelled:
          show("\n")
          return .cancelled
        }
      case .redraw: continue
      case .end(let signal): return end(signal)
      }
    }
  }

  func confirmation(_ question: String) -> ReviewAnswer {
    while true {
      showLine(question + " (y/n) ", "")
      switch terminal.next() {
      case .key(.text("y")), .key(.text("Y")):
        show("yes\n")
        return .yes
      case .key(.text("n")), .key(.text("N")), .key(.escape):
        show("no\n")
        return .no
      case .key, .redraw: continue
      case .end(let signal): return end(signal)
      }
    }
  }

  private func end(_ signal: Int32) -> ReviewAnswer {
    show("\n")
    return .end(signal: signal)
  }

  /// Replaces the current line with `text` and `note`, and puts the cursor after `text`.
  private func showLine(_ text: String, _ note: String) {
    let width = size.columns - 1
    let text = Console.printable(text).fitting(columns: width)
    let note = note.columns <= width - text.columns ? note : ""
    let back = note.isEmpty ? "" : "\u{1B}[\(note.columns)D"
    writeAll("\r\u{1B}[K\(text)\(note)\(back)", to: 1)
  }

  // Errors are ignored: if the terminal is gone, the next read ends the session.
  private func show(_ text: String) { writeAll(text, to: 1) }
}

/// Reads answers as lines, for terminals without cursor control and for screen readers.
final class LineUI: ReviewUI {
  let size = (columns: 80, rows: 24)

  func close() {}

  func command(options: Int) -> ReviewAnswer {
    let numbers = options > 0 ? "1 to \(options), " : ""
    while true {
      guard
        let line = ask(
          "\(numbers)accept, reject, class, skip, undo, favorite, open, help, quit: ")
      else {
        return .end(signal: nil)
      }
      if let number = Int(line.split(separator: " ").first ?? ""), number > 0, number <= options {
        return .option(number)
      }
      let answer = line.split(separator: " ").first ?? ""
      let keys = [
        "accept": "a", "reject": "r", "class": "c", "skip": "s", "undo": "u", "favorite": "f",
        "favourite": "f", "open": "o", "help": "?", "quit": "q", "yes": "y", "no": "n",
      ]
      let key = keys[answer.lowercased()] ?? String(answer)
      if key.count == 1, let command = key.first.flatMap(ReviewStateMachine.Command.init(key:)) {
        return .command(command)
      }
    }
  }

  func name(complete: @escaping (String) -> [String]) -> ReviewAnswer {
    guard let line = ask("class: ") else { return .end(signal: nil) }
    return line.isEmpty ? .cancelled : .text(line)
  }

  func confirmation(_ question: String) -> ReviewAnswer {
    guard let line = ask(question + " (y/n) ") else { return .end(signal: nil) }
    return ["y", "yes"].contains(line.lowercased()) ? .yes : .no
  }

  private func ask(_ question: String) -> String? {
    writeAll(Console.printable(question), to: 1)
    return readLine()
  }
}
