import ArgumentParser
import Cairn

struct PolicySet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the resolution rules of this dataset, for everyone.",
    discussion: HelpText.paragraphs(
      """
      --people sets which verdict counts when people disagree:

        majority     the verdict of most people; a tie is disputed
        latest       the most recent verdict
        unanimous    none: the class is disputed
        dawid-skene  a verdict that is at least 90% likely, given error rates that are estimated
                     from people's votes; otherwise the class is disputed

      EXAMPLES
        cairn policy set --people latest --threshold 0.6
        cairn policy set --people dawid-skene
        cairn policy set --model-threshold resnet50=0.8
      """))

  @Option(help: "majority, latest, unanimous or dawid-skene.") var people: String?
  @Option(help: "Minimum confidence (0 to 1) for a model's label to count.") var threshold: Double?
  @Option(
    name: .customLong("model-threshold"),
    help: ArgumentHelp(
      "A separate threshold for all versions of a model; “none” removes it.",
      valueName: "model=threshold"))
  var models: [String] = []
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard people != nil || threshold != nil || !models.isEmpty else {
      throw CairnError(
        .usage, "Nothing to change.", hint: "For example: `--threshold 0.6`.")
    }
    let thresholds = try Dictionary(models.map(modelThreshold)) { $1 }
    let edit = try globals.dataset(dryRun)
      .editPolicy(people: try people.map(peoplePolicy), threshold: threshold, models: thresholds)
    var rendered = edit.policy.rendered.object ?? [:]
    rendered["changed"] = .bool(edit.changed)
    if dryRun.isOn {
      let start = edit.changed ? "Would set these rules:" : "Already set."
      return Console.printDryRun(globals, rendered, [start] + edit.policy.lines)
    }
    Console.printChange(globals, .object(rendered)) {
      if !edit.changed { Console.print("Already set.") }
      edit.policy.print()
    }
  }

  private func peoplePolicy(_ text: String) throws -> PeoplePolicy {
    guard let policy = PeoplePolicy(rawValue: text) else {
      throw CairnError(
        .usage, "“\(text)” is not a policy.",
        hint: "Use majority, latest, unanimous or dawid-skene.")
    }
    return policy
  }

  private func modelThreshold(_ text: String) throws -> (String, Double?) {
    guard let separator = text.lastIndex(of: "=") else { throw notAThreshold(text) }
    let value = text[text.index(after: separator)...]
    if value == "none" { return (String(text[..<separator]), nil) }
    guard let threshold = Double(value) else { throw notAThreshold(text) }
    return (String(text[..<separator]), threshold)
  }

  private func notAThreshold(_ text: String) -> CairnError {
    CairnError(
      .invalidInput, "“\(text)” does not name a model and its threshold.",
      hint: "For example: `--model-threshold resnet50=0.8`.")
  }
}
