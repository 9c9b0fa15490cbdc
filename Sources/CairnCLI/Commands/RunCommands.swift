import ArgumentParser
import Cairn

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Manage model runs, which can be withdrawn as a whole.",
    discussion: HelpText.paragraphs(
      """
      RUN is a unique prefix of its id (4 digits or more).

      EXAMPLE
        cairn run start resnet50@2026-01 --parameter size=224
        cairn label 3fa9 dog --run 41d8 --confidence 0.93
      """),
    subcommands: [
      RunStart.self, RunList.self, RunShow.self, RunWithdraw.self, RunRestore.self,
    ])
}

/// Returns the annotator of `NAME@VERSION`.
func annotator(model: String) throws -> Annotator {
  guard let annotator = Annotator(model: model) else {
    throw CairnError(
      .invalidInput, "“\(model)” does not name a model and its version.",
      hint: "Such as `resnet50@2026-01`.")
  }
  return annotator
}

extension Run {
  fileprivate func rendered(labels: Int? = nil) -> JSON {
    var object = members
    object["kind"] = nil
    object["withdrawn"] = .bool(withdrawn.value)
    object["labels"] = labels.map { JSON($0) }
    return .object(object)
  }

  fileprivate var parameters: String {
    (members["parameters"]?.object?.members ?? []).map { key, value in
      "\(key)=\(value.string ?? value.canonicalText.trimmingCharacters(of: "\n"))"
    }.joined(separator: " ")
  }

  fileprivate var row: [String] {
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

struct RunStart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a model run and print its id.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn run start resnet50@2026-01 --parameter size=224"))

  @Argument(help: ArgumentHelp("The model and its version.", valueName: "model@version")) var model:
    String
  @Option(
    name: .customLong("parameter"),
    help: ArgumentHelp("A parameter of the run. Can be repeated.", valueName: "name=value"))
  var parameters: [String] = []
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var object = JSONObject()
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw CairnError(
          .invalidInput, "“\(parameter)” is not a parameter.", hint: "Such as `size=224`.")
      }
      object[String(parts[0])] = value(String(parts[1]))
    }
    let run = try globals.dataset().startRun(try annotator(model: model), parameters: object)
    Console.print(globals, run.rendered()) { Console.print(run.id.text) }
  }

  /// Numbers, true and false are what they look like; all else is text.
  private func value(_ text: String) -> JSON {
    switch try? JSON(bytes: text.utf8) {
    case .number(let number)?: .number(number)
    case .bool(let flag)?: .bool(flag)
    default: .string(text)
    }
  }
}

struct RunList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List runs, newest first.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let runs = try globals.dataset().runs()
    Console.print(globals, .array(runs.map { $0.run.rendered(labels: $0.labels) })) {
      if runs.isEmpty { return Console.print("No runs yet: cairn run start MODEL@VERSION.") }
      let rows = runs.map { run, labels in
        run.row + [count(labels, "label"), run.withdrawn.value ? "withdrawn" : ""]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

struct RunArgument: ParsableArguments {
  @Argument(help: "A unique prefix of its id.") var run: String
}

struct RunShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a run and its parameters.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run show 41d8"))

  @OptionGroup var target: RunArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let run = try dataset.run(target.run)
    let labels = try dataset.runs().first { $0.run.id == run.id }?.labels ?? 0
    Console.print(globals, run.rendered(labels: labels)) {
      Console.print("\(Style.bold(run.id.text)) of \(Console.printable(run.annotator.identity))")
      Console.print(
        "started \(localTime(milliseconds: run.started.milliseconds)) by \(run.by.identity)")
      if !run.parameters.isEmpty { Console.print("with \(run.parameters)") }
      Console.print(
        count(labels, "label")
          + (run.withdrawn.value ? ", which do not count: the run is withdrawn" : ""))
    }
  }
}

struct RunWithdraw: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw a run, so that its labels no longer count.",
    discussion: HelpText.paragraphs(
      """
      People's labels are kept, including accepted and rejected predictions.

      EXAMPLE
        cairn run withdraw 41d8
      """))

  @OptionGroup var target: RunArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws { try setWithdrawn(target.run, true, globals) }
}

struct RunRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a withdrawn run.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run restore 41d8"))

  @OptionGroup var target: RunArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws { try setWithdrawn(target.run, false, globals) }
}

private func setWithdrawn(_ text: String, _ withdrawn: Bool, _ globals: GlobalOptions) throws {
  let dataset = try globals.dataset()
  let (run, changed) = try dataset.setRunWithdrawn(try dataset.run(text).id, withdrawn)
  Console.print(
    globals,
    [
      "changed": .bool(changed), "id": .string(run.id.text),
      "withdrawn": .bool(run.withdrawn.value),
    ]
  ) {
    let state = withdrawn ? "withdrawn" : "restored"
    let name = "\(run.id.text.prefix(8)) of \(run.annotator.identity)"
    Console.print(changed ? "\(state) \(name)" : "\(name) was \(state) already")
  }
}
