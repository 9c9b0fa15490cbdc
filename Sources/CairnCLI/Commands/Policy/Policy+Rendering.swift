import Cairn

extension Policy {
  var rendered: JSON {
    [
      "models": .object(JSONObject(thresholds.map { ($0.key, JSON($0.value)) })),
      "people": .string(people.rawValue), "threshold": JSON(threshold),
    ]
  }

  func print() {
    let rule =
      switch people {
      case .majority: "the majority decides; a tie is disputed"
      case .latest: "the latest label decides"
      case .unanimous: "all must agree; otherwise the class is disputed"
      case .dawidSkene:
        "if they disagree, the verdict that is at least 90% likely, given their error rates"
      }
    Console.print("People's labels override models': \(rule) (\(people.rawValue)).")
    Console.print(
      "If nobody labeled a class, a model's label with confidence \(threshold) or more counts.")
    for (model, threshold) in thresholds.sorted(by: { $0.key < $1.key }) {
      Console.print("  \(Console.printable(model)): \(threshold) or more")
    }
  }
}
