internal import CairnDocument

/// A place in a JSON value: `outputs[0].data.concepts`; `$`, or nothing, is the whole.
struct JSONPath: Sendable, Equatable {
  private enum Step: Sendable, Equatable {
    case member(String)
    case element(Int)
  }

  let text: String
  private let steps: [Step]

  /// Reads a path; nil when it is not one.
  init?(_ text: String) {
    self.text = text
    var steps: [Step] = []
    let names =
      text == "$" || text.isEmpty
      ? [] : text.split(separator: ".", omittingEmptySubsequences: false)
    for (place, part) in names.enumerated() {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      let isRoot = place == 0 && (pieces[0].isEmpty || pieces[0] == "$")
      if pieces[0].isEmpty, !isRoot { return nil }
      if !isRoot { steps.append(.member(String(pieces[0]))) }
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let index = Int(piece.dropLast()), index >= 0 else { return nil }
        steps.append(.element(index))
      }
    }
    self.steps = steps
  }

  /// Returns what lies at this place; nil where nothing does, or null.
  func value(in root: JSON) -> JSON? {
    var value = root
    for step in steps {
      switch step {
      case .member(let name):
        guard let next = value[name] else { return nil }
        value = next
      case .element(let index):
        guard let array = value.array, index < array.count else { return nil }
        value = array[index]
      }
    }
    return value.isNull ? nil : value
  }
}
