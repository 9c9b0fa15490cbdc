/// A line that is being typed, with completion: Tab and Shift-Tab go through what it may become.
public struct LineEditor: Equatable, Sendable {
  /// What is typed, or what Tab has put in its place.
  public private(set) var text = ""
  /// What was typed before Tab, and which of its completions stands there.
  private var cycle: (typed: String, candidates: [String], place: Int)?

  /// In bytes.
  private let limit: Int

  /// - Parameter limit: How many bytes are taken; no name has more than 256.
  public init(limit: Int = 256) { self.limit = limit }

  public enum Outcome: Equatable, Sendable {
    case editing
    case entered(String)
    case cancelled
  }

  /// Takes a key.
  ///
  /// - Parameter complete: Returns what a beginning may become, the best first.
  public mutating func take(_ key: Key, complete: (String) -> [String]) -> Outcome {
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

  /// Of which how many candidates stands there: `(2, 5)`; nil before Tab.
  public var choice: (number: Int, count: Int)? {
    cycle.map { ($0.place + 1, $0.candidates.count) }
  }

  private mutating func turn(by step: Int, _ complete: (String) -> [String]) {
    if var cycle {
      cycle.place = (cycle.place + step + cycle.candidates.count) % cycle.candidates.count
      text = cycle.candidates[cycle.place]
      self.cycle = cycle
      return
    }
    let candidates = complete(text)
    guard !candidates.isEmpty else { return }
    let place = step > 0 ? 0 : candidates.count - 1
    cycle = (text, candidates, place)
    text = candidates[place]
  }

  public static func == (a: LineEditor, b: LineEditor) -> Bool {
    a.text == b.text && a.cycle?.typed == b.cycle?.typed && a.cycle?.place == b.cycle?.place
      && a.cycle?.candidates == b.cycle?.candidates
  }
}
