import ArgumentParser
import Cairn

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find photos by class, state, annotator, confidence, date, place or text.",
    discussion: """
      Terms beside each other must all hold; OR takes either, “-” takes away, parentheses group, and
      quotes hold words together.

        label:dog            a class, by key, name or alias, that may be there
        state:disputed       confirmed, rejected, predicted, disputed (several with commas), or any
        conf:<0.6            the confidence of what stands: <0.6, >=0.9, 0.5..0.6
        by:alice             who said something: an address, what stands before its “@”, or me
        model:resnet50       which model: NAME or NAME@VERSION
        run:41d8             in which run
        said:2026-05..2026-07   when: a day, a month or a year in UTC, or a range
        has:region           with a box
        pin:harbour          the pin, by name or id;  has:pin  any
        near:48.85,2.35,2km  latitude, longitude, radius
        in:2.2,48.8,2.5,48.9 west, south, east, north
        is:unlabelled        nothing stands of it;  is:removed  it was removed
        old hemlock          words of its title, caption, file name or pin

      Terms on labels beside each other speak of the same class: “label:dog by:alice” is what Alice
      said of dogs. What is taken away stands alone.

      EXAMPLES
        cairn find label:dog state:disputed
        cairn find 'model:resnet50 conf:<0.6 -by:me' --limit 20
        cairn find 'label:"Cairn terrier" (pin:harbour OR near:57.5,-3.9,10km)' --format paths
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("What to find; all without it.", valueName: "query"))
  var query: [String] = []
  @Option(help: ArgumentHelp("At most so many.", valueName: "n")) var limit: Int?
  @Option(
    help: ArgumentHelp(
      "id, said (latest first), confidence (surest first) or title.", valueName: "order"),
    transform: Find.order)
  var sort = PhotoOrder.id
  @Flag(help: "The other way round.") var reverse = false
  @Flag(help: "Only how many.") var count = false
  @Option(help: "table, json, csv, paths or geojson.") var format: FindFormat?
  @OptionGroup var globals: GlobalOptions

  private static func order(_ text: String) throws -> PhotoOrder {
    guard let order = PhotoOrder(rawValue: text) else {
      let all = PhotoOrder.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("“\(text)” is no order; there are \(all).")
    }
    return order
  }

  func run() throws {
    if let limit, limit < 1 {
      throw CairnError(.invalidInput, "A limit of \(limit) finds nothing.", hint: "Give 1 or more.")
    }
    // What comes after “--” comes with it.
    let query = try PhotoQuery(self.query.filter { $0 != "--" }.joined(separator: " "))
    let dataset = try globals.dataset()
    let format = format ?? (globals.json ? .json : .table)
    if count {
      let number = min(try dataset.count(query), limit ?? .max)
      if format == .json { return Console.print(json: ["count": JSON(number)]) }
      return Console.print("\(number)")
    }
    let output = FoundOutput(format)
    try dataset.forEachPhoto(query, by: sort, isReversed: reverse, limit: limit, output.print)
    output.finish()
  }
}

enum FindFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv, paths, geojson
}

/// Prints photos while they are found.
private final class FoundOutput {
  private let format: FindFormat
  private var rows: [[String]] = []
  private var count = 0

  /// So many rows are laid out together: a list that long is shown while it goes on.
  private static let rowLimit = 200

  init(_ format: FindFormat) { self.format = format }

  func print(_ found: FoundPhoto) {
    let photo = found.photo
    switch format {
    case .table:
      rows.append(
        [
          photo.id.short, "\(photo.image.width)×\(photo.image.height)", found.name, found.summary,
        ])
      if rows.count == FoundOutput.rowLimit { printRows() }
    case .json: Console.write((count == 0 ? "[\n" : ",\n") + FoundOutput.text(found.rendered))
    case .geojson:
      Console.write(
        (count == 0 ? FoundOutput.geoJSONStart : ",\n") + FoundOutput.text(found.feature))
    case .csv:
      if count == 0 { Console.write(FoundOutput.csvHeader) }
      Console.write(found.csv)
    case .paths: Console.print(DocumentPath.image(photo.id, photo.image.format).description)
    }
    count += 1
  }

  func finish() {
    switch format {
    case .table:
      if count == 0 { return Console.print("No photo is like that.") }
      printRows()
    case .json: Console.write(count == 0 ? "[]\n" : "\n]\n")
    case .geojson: Console.write((count == 0 ? FoundOutput.geoJSONStart : "") + "\n]}\n")
    case .csv: if count == 0 { Console.write(FoundOutput.csvHeader) }
    case .paths: break
    }
  }

  private func printRows() {
    Console.table(rows).forEach { Console.print($0) }
    rows = []
  }

  /// A value without the new line at its end.
  private static func text(_ json: JSON) -> String { String(json.canonicalText.dropLast()) }

  private static let geoJSONStart = "{\"type\": \"FeatureCollection\", \"features\": [\n"
  private static let csvHeader =
    "id,name,path,latitude,longitude,confirmed,predicted,disputed,rejected\r\n"
}

extension FoundPhoto {
  fileprivate var name: String {
    photo.title.value.isEmpty ? photo.source.value : photo.title.value
  }

  /// The classes that may be there, as a list shows them: `hemlock, oak?, elm!`.
  fileprivate var summary: String {
    standings.compactMap { standing in
      switch standing.state {
      case .confirmed: standing.name
      case .predicted: "\(standing.name)?"
      case .disputed: "\(standing.name)!"
      case .rejected, .open: nil
      }
    }.joined(separator: ", ")
  }

  fileprivate var rendered: JSON {
    [
      "photo": photo.rendered, "latitude": location.map { JSON($0.latitude) } ?? .null,
      "longitude": location.map { JSON($0.longitude) } ?? .null,
      "resolution": .array(
        standings.map {
          [
            "class": .string($0.classKey.text), "confidence": JSON($0.confidence),
            "state": .string($0.state.rawValue),
          ]
        }),
    ]
  }

  /// Source: RFC 7946; a photo without a place has a null geometry.
  fileprivate var feature: JSON {
    [
      "type": "Feature", "id": .string(photo.id.description),
      "geometry": location.map {
        ["type": "Point", "coordinates": .array([JSON($0.longitude), JSON($0.latitude)])]
      } ?? .null,
      "properties": [
        "name": .string(name),
        "classes": .object(
          JSONObject(standings.map { ($0.classKey.text, .string($0.state.rawValue)) })),
      ],
    ]
  }

  /// Source: RFC 4180.
  fileprivate var csv: String {
    let states: [Resolution.State] = [.confirmed, .predicted, .disputed, .rejected]
    let classes = states.map { state in
      standings.filter { $0.state == state }.map(\.classKey.text).joined(separator: " ")
    }
    let place = location.map { ["\($0.latitude)", "\($0.longitude)"] } ?? ["", ""]
    let path = DocumentPath.image(photo.id, photo.image.format).description
    let cells = [photo.id.description, name, path] + place + classes
    return cells.map { cell in
      cell.contains { ",\"\r\n".contains($0) || $0.isNewline }
        ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
    }.joined(separator: ",") + "\r\n"
  }
}
