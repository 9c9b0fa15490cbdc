import ArgumentParser
import Cairn

struct TransferArguments: ParsableArguments {
  @Argument(help: RemoteOption.help) var remote: String?
  @Option(
    help: ArgumentHelp(
      "Which images to fetch (default: the same as the clone).", valueName: "mode"))
  var images: TransferArguments.ImageMode?
  @Flag(help: "Same as --images none.") var noImages = false
  /// The photos whose images are fetched; without it `images` decides.
  @OptionGroup var selection: PhotoSelection
  @OptionGroup var bandwidth: BandwidthOption
  @Flag(help: "Merge a dataset with an unrelated history.") var allowUnrelatedHistories = false

  enum ImageMode: String, ExpressibleByArgument, CaseIterable { case all, none }

  func validate() throws {
    if [images != nil, noImages, selection.isGiven].count(where: \.self) > 1 {
      throw ValidationError("Give only one of --images, --no-images, and --find or --pin.")
    }
  }

  /// Whether images are requested explicitly.
  var requestsImages: Bool { images == .all || selection.isGiven }

  var options: TransferOptions {
    var options = TransferOptions()
    options.images = noImages || selection.isGiven ? false : images.map { $0 == .all }
    options.allowUnrelatedHistories = allowUnrelatedHistories
    return options
  }

  /// Checks the query, which selects photos only after the pull.
  func checkSelection() throws { _ = try selection.query() }

  /// Fetches the images of the selected photos after a pull, which may have added some of these
  /// photos.
  func fetchSelected(_ dataset: Dataset) throws -> ImageFetchReport? {
    guard let photos = try selection.ids(in: dataset) else { return nil }
    return try dataset.fetchImages(of: photos, from: remote)
  }
}
