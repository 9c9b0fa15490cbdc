import ArgumentParser

/// The option of commands that make a commit.
struct MessageOption: ParsableArguments {
  @Option(
    name: [.customShort("m"), .customLong("message")],
    help: ArgumentHelp(
      "The commit message (default: a summary of the changes).", valueName: "message"))
  var text: String?
}
