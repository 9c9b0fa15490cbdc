import ArgumentParser
import Cairn

struct ImagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images", abstract: "Manage which images are on this disk.",
    subcommands: [ImagesStatus.self, ImagesFetch.self, ImagesDrop.self, ImagesPush.self])
}

/// Which photos' images are meant.
struct ImageSelection: ParsableArguments {
  @Argument(help: "Unique prefixes of photo ids, or paths of their files.")
  var photos: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "All images.") var all = false

  func validate() throws {
    if [all, selection.isGiven, !photos.isEmpty].count(where: \.self) > 1 {
      throw ValidationError("Give photos, a query or pin, or --all; one of them.")
    }
  }

  /// Returns the photos for a command that changes something, which an empty query does not select.
  ///
  /// - Returns: Nil for all.
  func idsToChange(in dataset: Dataset) throws -> [PhotoID]? {
    _ = try selection.query()?.selecting()
    return try ids(in: dataset)
  }

  /// - Returns: Nil for all.
  func ids(in dataset: Dataset) throws -> [PhotoID]? {
    if let found = try selection.ids(in: dataset) { return found }
    if photos.isEmpty { return nil }
    return try photos.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}

struct ImagesStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Count the images on this disk and those that are missing.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn images status
        cairn images status --pin harbour
      """))

  @OptionGroup var selection: ImageSelection
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let stock = try dataset.imageStock(of: selection.ids(in: dataset))
    Console.print(
      globals,
      [
        "bytesElsewhere": JSON(stock.bytesElsewhere), "bytesHere": JSON(stock.bytesHere),
        "elsewhere": JSON(stock.elsewhere), "here": JSON(stock.here),
      ]
    ) {
      Console.print("\(count(stock.here, "image")) here (\(byteText(stock.bytesHere))).")
      if stock.elsewhere > 0 {
        Console.print(
          "\(stock.elsewhere) elsewhere (\(byteText(stock.bytesElsewhere))): "
            + "`cairn images fetch` brings them.")
      }
    }
  }
}

struct ImagesFetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch missing images.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn images fetch                      fetch all
        cairn images fetch --find state:disputed
        cairn images fetch 3fa9 --remote usb
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar(globals)
    let arrival = try dataset.fetchImages(
      of: selection.ids(in: dataset), from: remote, options: bar.options)
    bar.finish()
    Console.print(globals, .object(JSONObject(arrival.members))) { arrival.print() }
    try arrival.endIfFailed(globals)
    if arrival.left > 0 { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
  }
}

struct ImagesDrop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Delete local images that a remote has.",
    discussion: HelpText.paragraphs(
      """
      Each image is deleted only after the remote confirms that it has it. Photos and labels stay and work
      as before; `cairn images fetch` fetches the images again.

      EXAMPLES
        cairn images drop --find taken:..2024
        cairn images drop --all --remote origin
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let photos = try selection.idsToChange(in: dataset)
    guard photos != nil || selection.all else {
      throw CairnError(
        .invalidInput, "It is not said which images to drop.",
        hint: "Name photos, `--pin`, `--find` or `--all`.")
    }
    let bar = ProgressBar(globals)
    let drop = try dataset.dropImages(of: photos, heldBy: remote, options: bar.options)
    bar.finish()
    Console.print(
      globals,
      [
        "bytes": JSON(drop.bytes), "changed": .array(drop.changed.map { .string($0) }),
        "dropped": JSON(drop.dropped),
        "unheld": .array(drop.unheld.map { .string($0.description) }),
      ]
    ) {
      Console.print(
        "\(count(drop.dropped, "image")) dropped, \(byteText(drop.bytes)) free.")
      if !drop.unheld.isEmpty {
        Console.print(
          "\(count(drop.unheld.count, "image")) kept, since the remote has them not: "
            + "`cairn images push` sends them.")
      }
      for path in drop.changed { Console.print("changed here, kept: \(Console.printable(path))") }
    }
  }
}

struct ImagesPush: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Upload all images that a remote is missing.",
    discussion: HelpText.paragraphs(
      """
      `cairn push` uploads the images of new commits only. This checks all images, for example after the
      image URL was changed.

      EXAMPLE
        cairn images push --remote origin
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar(globals)
    let sent = try dataset.sendImages(
      of: selection.ids(in: dataset), to: remote, options: bar.options)
    bar.finish()
    Console.print(globals, ["bytes": JSON(sent.bytes), "images": JSON(sent.images)]) {
      Console.print(
        sent.images == 0
          ? "The remote has all of them."
          : "\(count(sent.images, "image")) sent (\(byteText(sent.bytes))).")
    }
  }
}

struct RemoteImages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images", abstract: "Show or set the image URL of a remote, for everyone.",
    discussion: HelpText.paragraphs(
      """
      By default images are stored where git-lfs stores them: in the repository's directory, or on the
      remote's Git LFS server. The setting is committed to the dataset, in .lfsconfig.

      EXAMPLES
        cairn remote images origin                                show the image URL
        cairn remote images origin https://lfs.example.org/trees
        cairn remote images origin s3://bucket/trees?region=eu-west-1
        cairn remote images origin sftp://you@example.org/srv/trees
        cairn remote images origin /mnt/nas/trees                 not readable by git-lfs
        cairn remote images origin none                           do not upload images
        cairn remote images origin default
      """))

  @Argument(help: "The remote.") var name: String
  @Argument(help: "A URL, `none`, or `default` for the remote's own.") var url: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    if let url {
      try dataset.setImagePlace(
        ofRemote: name, url == "default" ? nil : url, relativeTo: currentDirectory())
    }
    let place = try dataset.imagePlace(ofRemote: name)
    Console.print(globals, ["images": JSON(place), "name": .string(name)]) {
      switch place {
      case nil: Console.print("Images of \(name) go where they belong to it.")
      case "none": Console.print("Images of \(name) go nowhere.")
      case let place?:
        Console.print("Images of \(name) go to \(Console.printable(place)).")
        if url != nil { Console.print("`cairn images push` sends those that were pushed before.") }
      }
    }
  }
}

extension ImageFetchReport {
  var members: [(String, JSON)] {
    [
      ("imageBytes", JSON(bytes)), ("images", JSON(moved)),
      ("imagesFailure", JSON(failure.map { CairnError($0).message })), ("imagesLeft", JSON(left)),
    ]
  }

  func print() {
    if moved > 0 { Console.print("\(count(moved, "image")) received (\(byteText(bytes))).") }
    if left > 0, failure == nil {
      Console.print("\(count(left, "image")) did not come: the remote has them not.")
    }
  }

  /// Says why images stayed away, after everything else was done, and ends with its exit code.
  func endIfFailed(_ globals: GlobalOptions) throws {
    guard let failure else { return }
    let error = CairnError(failure)
    Console.note("\(count(left, "image")) did not come: \(Console.printable(error.message))")
    Console.hint("All else is done. `cairn images fetch` tries again.")
    throw ExitCode(error.kind.exitCode)
  }
}

/// Returns “950 B”, “1.2 MB”: with three digits, in steps of 1000.
func byteText(_ bytes: Int) -> String {
  var (value, unit) = (Double(bytes), 0)
  let units = ["B", "kB", "MB", "GB", "TB"]
  while value >= 999.5, unit < units.count - 1 {
    value /= 1000
    unit += 1
  }
  if unit == 0 || value >= 99.95 { return "\(Int(value.rounded())) \(units[unit])" }
  return "\((value * 10).rounded() / 10) \(units[unit])"
}
