import ArgumentParser
import Cairn

/// The option of commands that transfer images.
struct BandwidthOption: ParsableArguments {
  @Option(
    name: .customLong("bwlimit"),
    help: ArgumentHelp(
      "Maximum rate of image transfers in bytes per second, such as 500K or 2M (default: the setting "
        + "cairn.bwlimit, or none).", valueName: "rate"))
  private var text: String?

  /// Applies the limit to a dataset.
  func apply(to dataset: Dataset) throws(CairnError) {
    guard let text else { return }
    guard let rate = TransferRate.bytesPerSecond(text) else {
      throw CairnError(
        .invalidInput, "Invalid --bwlimit \(text): expected a rate of at least 16K.",
        hint: "Use bytes per second with K, M or G: --bwlimit 2M.")
    }
    dataset.bytesPerSecond = rate
  }
}
