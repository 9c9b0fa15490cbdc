import ArgumentParser

/// The options of all imports.
struct ImportArguments: ParsableArguments {
  @Flag(help: "Skip invalid lines or entries and import the rest.") var skipInvalid = false
  @OptionGroup var message: MessageOption
  @OptionGroup var dryRun: DryRunOption
}
