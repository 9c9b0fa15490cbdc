import ArgumentParser

/// The options of all imports.
struct ImportArguments: ParsableArguments {
  @Flag(help: "Skip invalid lines and import the rest.") var skipInvalid = false
  @Flag(name: [.customShort("n"), .long], help: "Show what would be done (dry run).") var dryRun =
    false
  @Option(name: .shortAndLong, help: "The commit message (default: a summary).")
  var message: String?
}
