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
struct SourceQuestionOptions: ParsableArguments {
  @Option(help: "Words, a species or a breed that the photos are to show.") var text: String?
  @Option(
    help: ArgumentHelp(
      "Only photos under these licences, with commas between them; any for all, unknown ones too.",
      valueName: "licences"))
  var licence: String?
  @Option(help: ArgumentHelp("How far from the pin: 500m, 2km.", valueName: "distance"))
  var radius: String = "1km"
  @Flag(help: "Images as they were uploaded, rather than about 1,000 pixels wide.")
  var original = false
  @Flag(inversion: .prefixedNo, help: "Keep what the source says is on them, as predictions.")
  var labels = true

  func request(_ source: SourceName) throws -> PhotoRequest {
    var request = PhotoRequest(source)
    let text = text.map { $0.trimmed }
    request.query.text = text.flatMap { $0.isEmpty ? nil : $0 }
    request.query.wantsOriginal = original
    request.isStopped = { Interruption.isRequested }
    request.radiusMetres = try Metres.read(radius)
    request.takesLabels = labels
    guard let licence else { return request }
    if licence.lowercased() == "any" {
      request.takesAnyLicence = true
    } else {
      request.query.licences = try Set(licence.split(separator: ",").map(kind))
    }
    return request
  }

  private func kind(_ text: Substring) throws -> LicenceKind {
    guard let kind = LicenceKind(String(text).trimmed) else {
      let known = LicenceKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CairnError(
        .invalidInput, "“\(text)” is no licence that can be chosen by.", hint: "Those are \(known)."
      )
    }
    return kind
  }
}

/// Distances on the command line.
enum Metres {
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
    commandName: "fetch", abstract: "Fetch photos of a service, with their licences.",
    discussion: """
      Photos come until so many new ones are here, or the source has no more. What was fetched before
      is not fetched again, and what was removed does not come back. Author, licence, title, page and
      address are kept with each photo; `cairn show` has them. Photos that may not be copied are left
      out, unless --licence says otherwise.

      flickr (needs a key), commons and inaturalist look around a pin or a place; openverse by words;
      dog.ceo for a breed. urls takes a list of addresses, one a line, and folder a directory: --from
      says where. What inaturalist and dog.ceo say is on a photo becomes a prediction, which
      `cairn accept` and `cairn reject` settle.

      EXAMPLES
        cairn photo fetch --pin harbour --source commons --count 21
        cairn photo fetch --near 48.8584,2.2945,500m --source flickr --licence cc0,cc-by
        cairn photo fetch --pin harbour --source inaturalist --text "Larus argentatus" --new-collection
        cairn photo fetch --source dog.ceo --text "cairn terrier" --count 10
        cairn photo fetch --source urls --from addresses.txt
      """)

  @Option(help: ArgumentHelp("Where to fetch from.", valueName: "source"))
  var source: SourceArgument
  @Option(help: ArgumentHelp("The pin that they are taken at and put to.", valueName: "pin"))
  var pin: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Around which place, how far.", valueName: "lat,lon,distance"))
  var near: String?
  @Option(help: "How many new ones; all of a list or folder, else 21.")
  var count: Int?
  @Option(
    help: ArgumentHelp(
      "A list of addresses, - for what is piped in; or a folder.", valueName: "path"))
  var from: String?
  @Flag(help: "Remove the photos that the pin has now, once others are here.")
  var newCollection = false
  @OptionGroup var question: SourceQuestionOptions
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
    Interruption.watch()
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
      center, radiusMetres: try Metres.read(parts.count == 3 ? parts[2] : question.radius))
  }

  private func readList(into request: inout PhotoRequest) throws {
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
        request.locations = try LocationList.locations(in: text)
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
    commandName: "replace", abstract: "Take photos away and fetch as many others for their pins.",
    discussion: """
      Each goes when another one of the same source is here, so that nothing is lost where there is no
      network. Its labels stay with it: `cairn photo restore` brings it back.

      Without --text, a dog is replaced by one of its breed, and others by what the source has around the
      pin, or by what fits the words that they were fetched with, else their title.

      EXAMPLE
        cairn photo replace 3fa9 c4d0
        cairn photo replace 3fa9 --source commons --text harbour
      """)

  @OptionGroup var target: PhotoArguments
  @Option(
    help: ArgumentHelp("Where to fetch from; else where each came from.", valueName: "source"))
  var source: SourceArgument?
  @OptionGroup var question: SourceQuestionOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    let request = try question.request(source?.name ?? .commons)
    Interruption.watch()
    let bar = ProgressBar(globals)
    let harvest = try dataset.replacePhotos(ids, from: source?.name, like: request) {
      bar.update("replacing photos", $0, $1)
    }
    bar.finish()
    try harvest.tell(globals, wanted: ids.count)
  }
}
