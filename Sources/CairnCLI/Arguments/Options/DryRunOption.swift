import ArgumentParser
import Cairn

/// The option of commands that change many documents or files, to report the changes without
/// making them.
struct DryRunOption: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Show what the command would do, without doing it.")
  var isOn = false

  /// Prints what a command would do: the counts with `--json`, otherwise one sentence per line.
  func print(_ globals: GlobalOptions, _ counts: JSONObject, _ sentences: [String]) {
    var object = counts
    object["dryRun"] = true
    Console.print(globals, .object(object)) {
      for sentence in sentences { Console.print(sentence) }
    }
  }
}
