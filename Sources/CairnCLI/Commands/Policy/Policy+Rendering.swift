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
      case .majority: "the majority decides, and a tie is disputed"
      case .latest: "the latest label decides"
      case .unanimous: "the class is disputed"
      case .dawidSkene:
        "a verdict that is at least 90% likely, given their error rates, decides"
      }
    Console.print("People's labels override those of models.")
    Console.print("If people disagree, \(rule) (\(people.rawValue)).")
    Console.print(
      "If nobody labeled a class, a model's label with confidence \(threshold) or more counts.")
    for (model, threshold) in thresholds.sorted(by: { $0.key < $1.key }) {
      Console.print("  \(Console.printable(model)): \(threshold) or more")
    }
  }
}
