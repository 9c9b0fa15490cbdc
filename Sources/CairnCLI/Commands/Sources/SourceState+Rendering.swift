import Cairn

extension SourceState {
  var keyText: String {
    switch key {
    case .notNeeded: "no key needed"
    case .missing: name.keyUse == .optional ? "no key (optional)" : "no key yet"
    case .variable(let variable): "key from \(variable)"
    case .helper: "key from git's credential helper"
    }
  }

  var rendered: JSON {
    let keyLocation: JSON =
      switch key {
      case .notNeeded: "not-needed"
      case .missing: "missing"
      case .variable: "environment"
      case .helper: "credential-helper"
      }
    return [
      "contact": JSON(contact), "key": keyLocation, "name": .string(name.rawValue),
      "ownURL": .bool(isOwnURL), "terms": JSON(name.terms), "title": .string(name.title),
      "url": JSON(url),
    ]
  }
}
