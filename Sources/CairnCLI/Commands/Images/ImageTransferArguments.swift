import ArgumentParser
import Cairn

/// The arguments of the commands that transfer images or drop them.
struct ImageTransferArguments: ParsableArguments {
  @OptionGroup var selection: ImageSelection
  @OptionGroup var remote: RemoteOption
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  /// Prints what a dry run would do with images.
  ///
  /// - Parameter sentence: Returns the sentence, given the number and the size of the images.
  /// - Throws: ``CairnError/Kind/notFound`` if there is no such remote.
  func printDryRun(
    _ images: Int, bytes: Int, in dataset: Dataset, _ sentence: (String) -> String
  ) throws {
    try remote.check(in: dataset)
    dryRun.print(
      globals, ["bytes": JSON(bytes), "images": JSON(images)],
      [sentence("\(count(images, "image")) (\(byteText(bytes)))")])
  }
}
