import ArgumentParser

/// The option of commands that report their progress or success.
struct QuietOption: ParsableArguments {
  @Flag(
    name: [.customShort("q"), .customLong("quiet")],
    help: "Print no progress and no success message.")
  var isOn = false

  /// Prints a success message, unless the option is given.
  func print(_ text: String) { if !isOn { Console.print(text) } }
}
