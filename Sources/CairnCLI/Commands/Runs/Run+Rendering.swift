import Cairn

extension Run {
  func rendered(labels: Int? = nil) -> JSON {
    var object = members
    object["kind"] = nil
    object["silent"] = silent.map { JSON($0.count) }
    object["learned"] = learned.map { JSON($0.count) }
    object["withdrawn"] = .bool(withdrawn.value)
    object["labels"] = labels.map { JSON($0) }
    return .object(object)
  }

  /// The parameters as `name=value`, separated by spaces.
  var parameters: String {
    (members["parameters"]?.object?.members ?? []).map { key, value in
      "\(key)=\(value.string ?? value.canonicalText.trimmingCharacters(of: "\n"))"
    }.joined(separator: " ")
  }

  /// The cells of the run in a table of runs.
  var row: [String] {
    [
      String(id.text.prefix(8)), annotator.identity, localTime(milliseconds: started.milliseconds),
      "by \(by.identity)",
    ]
  }
}

extension String {
  fileprivate func trimmingCharacters(of character: Character) -> String {
    var text = Substring(self)
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
