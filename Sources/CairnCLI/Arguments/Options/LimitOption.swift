import ArgumentParser
import Cairn

/// The option of commands whose number of results can be limited.
struct LimitOption: ParsableArguments {
  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp("Maximum number of results.", valueName: "n"))
  private var number: Int?

  /// Returns the maximum number of results; nil if the option is not given.
  func value() throws(CairnError) -> Int? {
    if let number, number < 1 {
      throw CairnError(.invalidInput, "--limit \(number) is too small.", hint: "Use 1 or more.")
    }
    return number
  }
}
