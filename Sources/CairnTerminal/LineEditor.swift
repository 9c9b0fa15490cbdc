/// An input line with completion: Tab and Shift-Tab cycle through the completions.
package struct LineEditor: Equatable, Sendable {
  /// The typed text, or the completion that replaced it.
  package private(set) var text = ""
  /// The text before Tab, its completions, and the current one.
  private var cycle: (typed: String, candidates: [String], index: Int)?

  /// The maximum length in bytes.
  private let limit: Int

  /// - Parameter limit: The maximum length in bytes; no name has more than 256.
  package init(limit: Int = 256) { self.limit = limit }

  package enum Outcome: Equatable, Sendable {
    case editing
    case entered(String)
    case cancelled
  }

  /// Handles a key.
  ///
  /// - Parameter complete: Returns the completions of a prefix, the best first.
  package mutating func take(_ key: Key, complete: (String) -> [String]) -> Outcome {
    switch key {
    case .tab: turn(by: 1, complete)
    case .backTab: turn(by: -1, complete)
    case .enter: return .entered(text)
    case .escape, .control("c"), .control("g"): return .cancelled
    case .control("d") where text.isEmpty: return .cancelled
    case .text(let scalar):
      if text.utf8.count + scalar.utf8.count <= limit {
        text.unicodeScalars.append(scalar)
      }
      cycle = nil
    case .backspace:
      if !text.isEmpty { text.removeLast() }
      cycle = nil
    case .control("u"):
      text = ""
      cycle = nil
    case .control("w"):
      while text.last?.isWhitespace == true { text.removeLast() }
      while let last = text.last, !last.isWhitespace { text.removeLast() }
      cycle = nil
    default: break
    }
    return .editing
  }

  /// The current completion and their number: `(2, 5)`; nil before Tab.
  package var choice: (number: Int, count: Int)? {
    cycle.map { ($0.index + 1, $0.candidates.count) }
  }

  private mutating func turn(by step: Int, _ complete: (String) -> [String]) {
    if var cycle {
      cycle.index = (cycle.index + step + cycle.candidates.count) % cycle.candidates.count
      text = cycle.candidates[cycle.index]
      self.cycle = cycle
      return
    }
    let candidates = complete(text)
    guard !candidates.isEmpty else { return }
    let index = step > 0 ? 0 : candidates.count - 1
    cycle = (text, candidates, index)
    text = candidates[index]
  }

  package static func == (a: LineEditor, b: LineEditor) -> Bool {
    a.text == b.text && a.cycle?.typed == b.cycle?.typed && a.cycle?.index == b.cycle?.index
      && a.cycle?.candidates == b.cycle?.candidates
  }
}
