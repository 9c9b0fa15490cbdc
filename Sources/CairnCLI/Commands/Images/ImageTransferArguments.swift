import ArgumentParser
import Cairn

/// The arguments of the commands that transfer images or drop them.
struct ImageTransferArguments: ParsableArguments {
  @OptionGroup var selection: ImageSelection
  @OptionGroup var remote: RemoteOption
  @OptionGroup var bandwidth: BandwidthOption
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  /// Opens the dataset, with the maximum rate of transfers.
  func dataset() throws -> Dataset {
    let dataset = try globals.dataset()
    try bandwidth.apply(to: dataset)
    return dataset
  }

  /// Prints what a dry run would do with images.
  ///
  /// - Parameters:
  ///   - missing: The number of images that the remote does not have; nil if it is not asked.
  ///   - sentence: Returns the sentence, given the number and the size of the images.
  /// - Throws: ``CairnError/Kind/notFound`` if there is no such remote.
  func printDryRun(
    _ images: Int, bytes: Int, in dataset: Dataset, missing: Int? = nil,
    _ sentence: (String) -> String
  ) throws {
    try remote.check(in: dataset)
    var counts: JSONObject = ["bytes": JSON(bytes), "images": JSON(images)]
    if let missing { counts["missing"] = JSON(missing) }
    Console.printDryRun(
      globals, counts,
      [sentence("\(count(images, "image")) (\(byteText(bytes)))")])
  }
}
