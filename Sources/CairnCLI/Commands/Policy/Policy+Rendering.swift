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
      case .unanimous: "all must agree; otherwise it is disputed"
      case .dawidSkene:
        "if they disagree, a verdict that is likely given each person's error rates"
      }
    Console.print("People's labels override models': \(rule) (\(people.rawValue)).")
    Console.print(
      "Without a person's label, a model's label counts from a confidence of \(threshold).")
    for (model, threshold) in thresholds.sorted(by: { $0.key < $1.key }) {
      Console.print("  \(Console.printable(model)): from \(threshold)")
    }
  }
}
