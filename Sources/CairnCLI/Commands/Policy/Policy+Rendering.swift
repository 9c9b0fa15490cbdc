import Cairn

extension Policy {
  var rendered: JSON {
    [
      "models": .object(JSONObject(thresholds.map { ($0.key, JSON($0.value)) })),
      "people": .string(people.rawValue), "threshold": JSON(threshold),
    ]
  }

  func print() { for line in lines { Console.print(line) } }

  /// The rules in sentences, one per line.
  var lines: [String] {
    let rule =
      switch people {
      case .majority: "the majority decides, and a tie is disputed"
      case .latest: "the latest label decides"
      case .unanimous: "the class is disputed"
      case .dawidSkene:
        "a verdict that is at least 90% likely, given their error rates, decides"
      }
    let models = thresholds.sorted { $0.key < $1.key }.map { model, threshold in
      "  \(Console.printable(model)): \(threshold) or more"
    }
    return [
      "People's labels override those of models.",
      "If people disagree, \(rule) (\(people.rawValue)).",
      "If nobody labeled a class, a model's label with confidence \(threshold) or more counts.",
    ] + models
  }
}
