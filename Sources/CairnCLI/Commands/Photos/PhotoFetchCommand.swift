import ArgumentParser
import Cairn
import CairnBase
import SystemPackage

struct PhotoFetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch photos from a service, a list of URLs or a folder.",
    discussion: HelpText.paragraphs(
      """
      Fetches until --limit new photos are added or the source has no more: by default 21 photos
      from a service, and all photos from a list or folder. Photos that were fetched before, even if
      they have since been removed, are not fetched again. The author, license, title, page and URL
      of each photo are recorded; see `cairn show`. Photos with all rights reserved are skipped
      unless --license includes them.

      flickr (needs an API key), commons and inaturalist search around a pin or location, openverse
      searches by text, and dog.ceo by breed. urls reads a list of URLs, one per line, and folder
      reads a directory; --from names the list or the directory. The breed or species that dog.ceo
      or inaturalist reports becomes a prediction, for `cairn accept` and `cairn reject`.

      EXAMPLES
        cairn photo fetch --pin harbor --source commons --limit 21
        cairn photo fetch --near 48.8584,2.2945,500m --source flickr --license cc0,cc-by
        cairn photo fetch --pin harbor --source inaturalist --text "Larus argentatus" --new-collection
        cairn photo fetch --source dog.ceo --text "cairn terrier" --limit 10
        cairn photo fetch --source urls --from addresses.txt
      """))

  @Option(help: ArgumentHelp("The source to fetch from.", valueName: "source"))
  var source: SourceArgument
  @Option(help: ArgumentHelp("The pin to search around and assign photos to.", valueName: "pin"))
  var pin: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Search around this location, within this distance.", valueName: "lat,lon,distance"))
  var near: String?
  @OptionGroup var limit: LimitOption
  @Option(
    help: ArgumentHelp(
      "A file with a list of URLs (- for stdin), or a folder.", valueName: "path"))
  var from: String?
  @Flag(help: "Remove the pin's current photos once new ones are fetched.")
  var newCollection = false
  @OptionGroup var query: SourceQueryArguments
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = try source.name()
    let dataset = try globals.dataset()
    var request = try query.request(name)
    request.pin = try pin.map { try dataset.pin($0).id }
    if let near { request.query.area = try area(near) }
    request.isNewCollection = newCollection
    request.count = try limit.value() ?? (name.url == nil ? nil : 21)
    try readList(into: &request)
    if dryRun.isOn { return try printDryRun(request, dataset) }
    let report = try SignalHandling.watch { try dataset.fetchPhotos(request) }
    try report.finish(globals, wanted: request.count, isNewCollection: newCollection)
  }

  /// Prints how many photos would be fetched at most: a service is not queried.
  private func printDryRun(_ request: PhotoFetchRequest, _ dataset: Dataset) throws {
    let offered: Int? =
      switch request.source {
      case .urls: request.locations.count
      case .folder: try request.files.flatMap { try imageScan(of: $0).images }.count
      default: nil
      }
    let number = [offered, request.count].compactMap(\.self).min() ?? 0
    var sentences = [
      "Would fetch up to \(count(number, "photo")) from \(request.source.title)."
    ]
    var removed = 0
    if newCollection, let pin = request.pin {
      removed = try dataset.count(.pin(pin.text))
      sentences.append("Would then remove up to \(count(removed, "photo")) of the pin.")
    }
    Console.printDryRun(globals, ["photos": JSON(number), "removed": JSON(removed)], sentences)
  }

  private func area(_ text: String) throws -> SearchArea {
    let parts = text.split(separator: ",").map { String($0).trimmed }
    guard 2...3 ~= parts.count, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a location.",
        hint: "For example: `--near 48.8584,2.2945,500m`.")
    }
    return SearchArea(
      center, radiusMeters: try Distance.parse(parts.count == 3 ? parts[2] : query.radius))
  }

  private func readList(into request: inout PhotoFetchRequest) throws {
    let source = request.source
    guard source.url == nil else {
      if from != nil {
        throw CairnError(
          .usage, "\(source.title) does not read a list or folder.",
          hint: "Use `--from` with `--source urls` or `--source folder`.")
      }
      return
    }
    guard let from else {
      throw CairnError(
        .usage, "--source \(source.rawValue) requires --from.",
        hint: source == .urls
          ? "For example: `--from addresses.txt`." : "For example: `--from ~/Pictures`.")
    }
    let path = currentDirectory().pushing(FilePath(from))
    if source == .folder {
      request.files = [path]
    } else {
      let text = try from == "-" ? PhotoFetchCommand.text(of: .standardInput) : read(path)
      request.locations = try WebLocation.list(text)
    }
  }

  /// The maximum size of a list, in bytes.
  private static let listLimit = 64 << 20

  private func read(_ path: FilePath) throws -> String {
    guard let file = try? FileDescriptor.open(path, .readOnly) else {
      throw CairnError(.notFound, "The file “\(path)” cannot be read.")
    }
    return try file.closeAfter { try PhotoFetchCommand.text(of: file) }
  }

  private static func text(of file: FileDescriptor) throws -> String {
    guard let bytes = readAll(file, limit: listLimit),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw CairnError(.invalidInput, "The list cannot be read, or is not UTF-8 text.") }
    return text
  }
}
