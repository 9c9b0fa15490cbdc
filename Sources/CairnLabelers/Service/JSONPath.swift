internal import CairnDocument

/// A path to a value in JSON: `outputs[0].data.concepts`; `$` or an empty path is the whole value.
struct JSONPath: Sendable, Equatable {
  private enum Step: Sendable, Equatable {
    case member(String)
    case element(Int)
  }

  let text: String
  private let steps: [Step]

  /// Parses a path; nil when it is invalid.
  init?(_ text: String) {
    self.text = text
    var steps: [Step] = []
    let names =
      text == "$" || text.isEmpty
      ? [] : text.split(separator: ".", omittingEmptySubsequences: false)
    for (position, component) in names.enumerated() {
      let pieces = component.split(separator: "[", omittingEmptySubsequences: false)
      let isRoot = position == 0 && (pieces[0].isEmpty || pieces[0] == "$")
      if pieces[0].isEmpty, !isRoot { return nil }
      if !isRoot { steps.append(.member(String(pieces[0]))) }
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let index = Int(piece.dropLast()), index >= 0 else { return nil }
        steps.append(.element(index))
      }
    }
    self.steps = steps
  }

  /// Returns the value at this path; nil when it is missing or null.
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
