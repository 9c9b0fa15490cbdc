import ArgumentParser
import Cairn

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "How all labels of a class on a photo become one answer.",
    discussion: "EXAMPLE\n  cairn policy show",
    subcommands: [PolicyShow.self, PolicySet.self])
}

extension Policy {
  fileprivate var rendered: JSON {
    [
      "models": .object(JSONObject(thresholds.map { ($0.key, JSON($0.value)) })),
      "people": .string(people.rawValue), "threshold": JSON(threshold),
    ]
  }

  fileprivate func print() {
    let rule =
      switch people {
      case .majority: "what more people say stands; a tie is disputed"
      case .latest: "what a person said last stands"
      case .unanimous: "what all say stands; else it is disputed"
      case .dawidSkene:
        "what all say stands; where they differ, what is likely by how each of them errs"
      }
    Console.print("People decide over models: \(rule) (\(people.rawValue)).")
    Console.print("Where no person has spoken, a model's label counts from \(threshold) on.")
    for (model, threshold) in thresholds.sorted(by: { $0.key < $1.key }) {
      Console.print("  \(Console.printable(model)) from \(threshold) on")
    }
  }
}

struct PolicyShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Tell the rules of this dataset.",
    discussion: "EXAMPLE\n  cairn policy show")

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let policy = try globals.dataset().policy()
    Console.print(globals, policy.rendered) { policy.print() }
  }
}

struct PolicySet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the rules of this dataset, for everybody.",
    discussion: """
      Among people stands, with majority, what more of them say; with latest, what one of them said
      last; with unanimous, what all say; with dawid-skene, where they differ, what is 90 % likely by
      how each of them errs, estimated from all that they say. Else it is disputed.

      EXAMPLES
        cairn policy set --people latest --threshold 0.6
        cairn policy set --people dawid-skene
        cairn policy set --model resnet50=0.8 --model yolo=none
      """)

  @Option(help: "majority, latest, unanimous or dawid-skene.") var people: String?
  @Option(help: "The confidence (0 to 1) from which a model's label counts.") var threshold: Double?
  @Option(
    name: .customLong("model"),
    help: ArgumentHelp(
      "The threshold of one model, all versions; “none” for the general one.",
      valueName: "model=threshold"))
  var models: [String] = []
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard people != nil || threshold != nil || !models.isEmpty else {
      throw CairnError(
        .invalidInput, "Nothing is to be changed.", hint: "Such as `--threshold 0.6`.")
    }
    let thresholds = try Dictionary(models.map(modelThreshold)) { $1 }
    let (policy, changed) = try globals.dataset()
      .editPolicy(people: try people.map(peoplePolicy), threshold: threshold, models: thresholds)
    var rendered = policy.rendered.object ?? [:]
    rendered["changed"] = .bool(changed)
    Console.print(globals, .object(rendered)) {
      if !changed { Console.print("It was so already.") }
      policy.print()
    }
  }

  private func peoplePolicy(_ text: String) throws -> PeoplePolicy {
    guard let policy = PeoplePolicy(rawValue: text) else {
      throw CairnError(
        .invalidInput, "“\(text)” is no way to decide among people.",
        hint: "Give \(PeoplePolicy.expectation).")
    }
    return policy
  }

  private func modelThreshold(_ text: String) throws -> (String, Double?) {
    guard let place = text.lastIndex(of: "=") else { throw notAThreshold(text) }
    let value = text[text.index(after: place)...]
    if value == "none" { return (String(text[..<place]), nil) }
    guard let threshold = Double(value) else { throw notAThreshold(text) }
    return (String(text[..<place]), threshold)
  }

  private func notAThreshold(_ text: String) -> CairnError {
    CairnError(
      .invalidInput, "“\(text)” does not name a model and its threshold.",
      hint: "Such as `--model resnet50=0.8`.")
  }
}
