import ArgumentParser
import Cairn
import CairnBase
import SystemPackage

struct PhotoAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add photos from files, folders and URLs.",
    discussion: HelpText.paragraphs(
      """
      Metadata is imported from the files: date, location, title, description and keywords. With
      --keywords, keywords and named regions also become your labels. Photos that are already in
      the dataset are not changed, so an interrupted command can be repeated. --keywords,
      --skip-similar, `--pin auto:` and `--pin nearest:` do not apply to URLs.

      JPEG, PNG, WebP, HEIC, AVIF, GIF, BMP, TIFF and raw photos are stored unchanged. Other files in
      a folder are counted by type at the end.

      EXAMPLES
        cairn photo add ~/Pictures/trip --pin harbor
        cairn photo add ~/Pictures --pin auto:500m --skip-similar
        cairn photo add ~/Pictures/birds --keywords
        cairn photo add https://example.org/hemlock.jpg
      """))

  @Argument(help: "Image files, folders, or URLs.")
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      """
      The pin where they were taken; nearest:500m for the nearest pin within that distance, or \
      auto:500m to also create pins where there are none.
      """,
      valueName: "pin"))
  var pin: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Turn keywords and named regions in the files into your labels.")
  var keywords = false

  @Flag(help: "Accepted for compatibility; folders are always searched recursively.")
  var recursive = false

  @Option(
    name: .customLong("skip-similar"), defaultAsFlag: PhotoAdd.defaultSimilarity, parsing: .next,
    help: ArgumentHelp(
      """
      Skip photos whose perceptual hash differs from an existing photo's in at most this many of \
      64 bits.
      """,
      valueName: "bits"))
  var similarity: Int? = nil

  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  /// Copies that were resized, recompressed, brightened or slightly cropped differ in at most 8
  /// bits, other photos in more.
  static let defaultSimilarity = 8

  func run() throws {
    guard similarity.map((0...64).contains) ?? true else {
      throw CairnError(
        .invalidInput, "--skip-similar requires a number of bits from 0 to 64.",
        hint: "For example: `--skip-similar 8`.")
    }
    let dataset = try globals.dataset()
    let base = currentDirectory()
    var options = PhotoImport()
    options.pin = try pin.map { try pinChoice($0, in: dataset) } ?? .none
    options.importsKeywords = keywords
    options.similarity = similarity
    let (locations, files) = try splitLocations(paths)
    if !locations.isEmpty { try checkOptionsForLocations(options) }
    if dryRun.isOn {
      return try printDryRun(dataset, files.map { base.pushing(FilePath($0)) }, locations.count)
    }
    let pin: PinID? = if case .pin(let id) = options.pin { id } else { nil }
    let (photos, fetched) = try SignalHandling.watch {
      let photos = try dataset.addPhotos(files.map { base.pushing(FilePath($0)) }, options)
      if SignalHandling.isRequested { return (photos, [AddedLocation]()) }
      return (photos, try dataset.addPhotos(at: locations, pin: pin))
    }
    let pins = try pinNames(of: photos, in: dataset)
    Console.print(globals, .array(photos.map(\.rendered) + fetched.map(\.rendered))) {
      for location in fetched {
        guard let line = location.line else { continue }
        if location.status == .failed { Console.print(line) } else { globals.print(line) }
      }
      for location in fetched where location.status != .failed {
        guard let note = location.note else { continue }
        Console.print("\(Style.yellow("note")): \(Console.printable(note))")
      }
      printSummary(photos, pins, fetched)
    }
    try SignalHandling.end()
    if (photos.map(\.status) + fetched.map(\.status)).contains(.failed) {
      throw ExitCode(CairnError.Kind.invalidImage.exitCode)
    }
  }

  /// Refuses options that apply only to files.
  private func checkOptionsForLocations(_ options: PhotoImport) throws {
    var ignored: [String] = []
    switch options.pin {
    case .none, .pin: break
    case .nearest: ignored.append("--pin nearest:DISTANCE")
    case .automatic: ignored.append("--pin auto:DISTANCE")
    }
    if keywords { ignored.append("--keywords") }
    if similarity != nil { ignored.append("--skip-similar") }
    guard ignored.isEmpty else {
      throw CairnError(
        .usage, "URLs cannot be added with \(ignored.joined(separator: ", ")).",
        hint: "Add the URLs with another command, without these options.")
    }
  }

  /// Prints how many photos would be added. Whether a file is a complete image, and whether it is
  /// similar to a photo, is not checked.
  private func printDryRun(_ dataset: Dataset, _ paths: [FilePath], _ urls: Int) throws {
    var (added, known) = (0, 0)
    let scans = try paths.map { try imageScan(of: $0) }
    for file in scans.flatMap(\.images) {
      do {
        _ = try dataset.photoID(file.string, relativeTo: currentDirectory())
        known += 1
      } catch {
        guard error.kind == .notFound else { throw error }
        added += 1
      }
    }
    let limit = similarity == nil ? "" : "up to "
    var sentences = ["Would add \(limit)\(count(added, "photo")); \(known) already known."]
    if urls > 0 { sentences.append("Would fetch \(count(urls, "URL")).") }
    sentences += scans.flatMap(\.unreadable).map { $0.error.message }
    let types = SkippedTypes(scans.flatMap(\.skipped).map(\.type))
    if types.total > 0 {
      sentences.append("Would skip \(count(types.total, "file")): \(types.text).")
    }
    Console.printDryRun(
      globals,
      [
        "added": JSON(added), "known": JSON(known), "skipped": types.rendered, "urls": JSON(urls),
      ], sentences)
  }

  private func pinChoice(_ text: String, in dataset: Dataset) throws -> PhotoImport.PinChoice {
    for (prefix, choice) in [
      ("auto:", PhotoImport.PinChoice.automatic), ("nearest:", PhotoImport.PinChoice.nearest),
    ] where text.hasPrefix(prefix) {
      guard let meters = Distance.meters(text.dropFirst(prefix.count)) else {
        throw CairnError(
          .invalidInput, "“\(text)” does not give a distance.",
          hint: "For example: `--pin \(prefix)500m` or `--pin \(prefix)1.5km`.")
      }
      return choice(meters)
    }
    return .pin(try dataset.pin(text).id)
  }

  /// Returns the names of all pins if `--pin` assigned photos to pins by location, otherwise none.
  private func pinNames(of photos: [AddedPhoto], in dataset: Dataset) throws -> [PinID: String] {
    guard let pin, pin.contains(":"), photos.contains(where: { $0.pin != nil }) else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: try dataset.pins().map { pin in
        (pin.id, pin.name.value.isEmpty ? String(pin.id.text.prefix(8)) : pin.name.value)
      })
  }

  private func printSummary(
    _ photos: [AddedPhoto], _ pins: [PinID: String], _ fetched: [AddedLocation]
  ) {
    for photo in photos where photo.status == .added {
      var line = "added \(photo.id?.short ?? "") \(photo.file.lastComponent?.string ?? "")"
      if let pin = photo.pin.flatMap({ pins[$0] }) { line += "  at \(pin)" }
      if !photo.labels.isEmpty { line += "  \(photo.labels.map(\.text).joined(separator: ", "))" }
      globals.print(Console.printable(line))
    }
    for photo in photos where photo.note != nil {
      let result =
        switch photo.status {
        case .failed: Style.red("not added")
        case .similar: Style.yellow("skipped")
        case .known: "known"
        case .added, .skipped: Style.yellow("note")
        }
      Console.print("\(result): \(Console.printable(photo.note ?? ""))")
    }
    let types = SkippedTypes(photos.compactMap(\.type))
    let statuses = photos.map(\.status) + fetched.map(\.status)
    if types.total > 0 {
      AddSummary(statuses, types).print(globals)
    } else if statuses.isEmpty {
      Console.print("No images found.")
    } else {
      globals.print(AddSummary(statuses, types).sentence)
    }
  }
}

extension AddedPhoto {
  fileprivate var rendered: JSON {
    [
      "file": .string(file.string), "id": JSON(id?.description),
      "labels": .array(labels.map { .string($0.text) }), "note": JSON(note),
      "pin": JSON(pin?.text), "status": .string(status.rawValue),
      "type": JSON(type),
    ]
  }
}
