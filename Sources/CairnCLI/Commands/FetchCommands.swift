import ArgumentParser
import Cairn
import SystemPackage

/// A source on the command line.
struct SourceArgument: ExpressibleByArgument {
  let name: SourceName

  init?(argument: String) {
    guard let name = SourceName(rawValue: argument.lowercased()) else { return nil }
    self.name = name
  }

  static var allValueStrings: [String] { SourceName.allCases.map(\.rawValue) }
}

/// What `photo fetch` and `photo replace` ask a source.
struct SourceQueryArguments: ParsableArguments {
  @Option(help: "Text, a species or a breed to search for.") var text: String?
  @Option(
    help: ArgumentHelp(
      "Only photos under these licenses, separated by commas; `any` for all, including unknown ones.",
      valueName: "licenses"))
  var license: String?
  @Option(help: ArgumentHelp("The radius around the pin: 500m, 2km.", valueName: "distance"))
  var radius: String = "1km"
  @Flag(help: "Fetch original images instead of about 1,000 pixels wide.")
  var original = false
  @Flag(inversion: .prefixedNo, help: "Keep the source's tags as predictions.")
  var labels = true

  func request(_ source: SourceName) throws -> PhotoFetchRequest {
    var request = PhotoFetchRequest(source)
    let text = text.map { $0.trimmed }
    request.query.text = text.flatMap { $0.isEmpty ? nil : $0 }
    request.query.wantsOriginal = original
    request.isStopped = { SignalHandling.isRequested }
    request.radiusMeters = try Meters.read(radius)
    request.takesLabels = labels
    guard let license else { return request }
    if license.lowercased() == "any" {
      request.takesAnyLicence = true
    } else {
      request.query.licences = try Set(license.split(separator: ",").map(kind))
    }
    return request
  }

  private func kind(_ text: Substring) throws -> LicenseKind {
    guard let kind = LicenseKind(String(text).trimmed) else {
      let known = LicenseKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CairnError(
        .invalidInput, "“\(text)” is not a known license.", hint: "Those are \(known)."
      )
    }
    return kind
  }
}

/// Distances on the command line.
enum Meters {
  static func read(_ text: String) throws -> Double {
    let lower = text.lowercased()
    let (digits, unit): (Substring, Double) =
      lower.hasSuffix("km")
      ? (lower.dropLast(2), 1000) : lower.hasSuffix("m") ? (lower.dropLast(), 1) : (lower[...], 1)
    guard let number = Double(digits), number.isFinite, number > 0, number * unit <= 20_040_000
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is no distance.", hint: "Such as 500m or 2km.")
    }
    return number * unit
  }
}

struct FetchPhotos: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch photos from a service, with their licenses.",
    discussion: HelpText.paragraphs(
      """
      Fetches until the requested number of new photos is reached or the source has no more. Photos
      fetched or removed before are not fetched again. Author, license, title, page and URL are kept with
      each photo; see `cairn show`. Photos that may not be copied are skipped unless --license includes
      them.

      flickr (needs an API key), commons and inaturalist search around a pin or location; openverse
      searches by text; dog.ceo by breed. urls reads a list of URLs, one per line, and folder a directory,
      both given with --from. Tags from inaturalist and dog.ceo become predictions for `cairn accept` and
      `cairn reject`.

      EXAMPLES
        cairn photo fetch --pin harbour --source commons --count 21
        cairn photo fetch --near 48.8584,2.2945,500m --source flickr --license cc0,cc-by
        cairn photo fetch --pin harbour --source inaturalist --text "Larus argentatus" --new-collection
        cairn photo fetch --source dog.ceo --text "cairn terrier" --count 10
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
  @Option(help: "The number of new photos (default: all of a list or folder, otherwise 21).")
  var count: Int?
  @Option(
    help: ArgumentHelp(
      "A list of addresses, - for what is piped in; or a folder.", valueName: "path"))
  var from: String?
  @Flag(help: "Remove the pin's current photos once new ones are fetched.")
  var newCollection = false
  @OptionGroup var question: SourceQueryArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var request = try question.request(source.name)
    request.pin = try pin.map { try dataset.pin($0).id }
    if let near { request.query.area = try area(near) }
    request.isNewCollection = newCollection
    guard count.map({ $0 > 0 }) ?? true else {
      throw CairnError(.invalidInput, "The count is not above zero.", hint: "Such as `--count 21`.")
    }
    request.count = count ?? (source.name.url == nil ? nil : 21)
    try readList(into: &request)
    SignalHandling.watch()
    let bar = ProgressBar(globals)
    let harvest = try dataset.fetchPhotos(request) { bar.update("fetching photos", $0, $1) }
    bar.finish()
    try harvest.tell(globals, wanted: request.count, isNewCollection: newCollection)
  }

  private func area(_ text: String) throws -> SearchArea {
    let parts = text.split(separator: ",").map { String($0).trimmed }
    guard 2...3 ~= parts.count, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is no place.", hint: "Such as `--near 48.8584,2.2945,500m`.")
    }
    return SearchArea(
      center, radiusMeters: try Meters.read(parts.count == 3 ? parts[2] : question.radius))
  }

  private func readList(into request: inout PhotoFetchRequest) throws {
    guard source.name.url == nil else {
      if from != nil {
        throw CairnError(
          .invalidInput, "\(source.name.title) takes no list.",
          hint: "`--from` goes with `--source urls` or `--source folder`.")
      }
      return
    }
    guard let from else {
      throw CairnError(
        .invalidInput, "It is not said what to fetch.",
        hint: source.name == .urls
          ? "Such as `--from addresses.txt`." : "Such as `--from ~/Pictures`.")
    }
    let path = currentDirectory().pushing(FilePath(from))
    if source.name == .folder {
      request.files = [path]
    } else {
      let text = try from == "-" ? FetchPhotos.text(of: .standardInput) : read(path)
      do {
        request.locations = try URLListSource.locations(in: text)
      } catch {
        throw CairnError(error)
      }
    }
  }

  /// The longest list, in bytes.
  private static let listLimit = 64 << 20

  private func read(_ path: FilePath) throws -> String {
    guard let file = try? FileDescriptor.open(path, .readOnly) else {
      throw CairnError(.notFound, "The file “\(path)” cannot be read.")
    }
    return try file.closeAfter { try FetchPhotos.text(of: file) }
  }

  private static func text(of file: FileDescriptor) throws -> String {
    guard let bytes = readAll(file, limit: listLimit),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw CairnError(.invalidInput, "The list cannot be read, or is not text in UTF-8.") }
    return text
  }
}

struct ReplacePhotos: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Remove photos and fetch the same number of others for their pins.",
    discussion: HelpText.paragraphs(
      """
      Each photo is removed only after its replacement was fetched, so that nothing is lost offline. Its
      labels stay, and `cairn photo restore` restores it.

      Without --text, a dog is replaced by one of the same breed; other photos by ones that the source has
      around the pin, or that match their original search text or title.

      EXAMPLE
        cairn photo replace 3fa9 c4d0
        cairn photo replace 3fa9 --source commons --text harbour
      """))

  @OptionGroup var target: PhotoArguments
  @Option(
    help: ArgumentHelp("The source (default: each photo's own).", valueName: "source"))
  var source: SourceArgument?
  @OptionGroup var question: SourceQueryArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    let request = try question.request(source?.name ?? .commons)
    SignalHandling.watch()
    let bar = ProgressBar(globals)
    let harvest = try dataset.replacePhotos(ids, from: source?.name, like: request) {
      bar.update("replacing photos", $0, $1)
    }
    bar.finish()
    try harvest.tell(globals, wanted: ids.count)
  }
}
