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
        taken:2024-05        when it was taken, by the clock of the camera
        pin:harbour          the pin, by name or id
        near:48.85,2.35,2km  latitude, longitude, radius
        in:2.2,48.8,2.5,48.9 west, south, east, north
        camera:canon         words of the camera's maker and model
        author:adams         whose it is;  licence:cc-by  source:commons
        similar:3fa9         looks like it;  similar:3fa9,4  the fewer bits differ (10), the more alike
        has:region           with a box; has:pin, place, title, caption, text, taken
        is:unlabelled        nothing stands of it; is:favorite, yours; is:removed
        old hem*             words of its title, caption, file name or pin, or of labels

      Words are whole; “*” stands for the rest of one. Accents and capitals do not matter. Terms on
      labels beside each other speak of the same class: “label:dog by:alice” is what Alice said of
      dogs. What is taken away stands alone.

      EXAMPLES
        cairn find label:dog state:disputed
        cairn find 'model:resnet50 conf:<0.6 -by:me' --limit 20
        cairn find 'label:"Cairn terrier" (pin:harbour OR near:57.5,-3.9,10km)' --sort -taken
        cairn find has:region -0 | xargs -0 ls -l
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("What to find; all without it.", valueName: "query"))
  var query: [String] = []
  @Option(help: ArgumentHelp("At most so many.", valueName: "n")) var limit: Int?
  @Option(help: ArgumentHelp("Pass over so many.", valueName: "n")) var offset = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "id, taken, added, said (latest first), conf (surest first) or title; “-” before it turns it round.",
      valueName: "order"),
    transform: Find.order)
  var sort = Sorting(order: .id, isReversed: false)
  @Flag(help: "The other way round.") var reverse = false
  @Flag(help: "Only how many.") var count = false
  @Option(help: "table, json, csv, paths or geojson.") var format: FindFormat?
  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Paths that end in a zero byte, for `xargs -0`.")
  var isNullEnded = false
  @OptionGroup var globals: GlobalOptions

  struct Sorting {
    let order: PhotoOrder
    let isReversed: Bool
  }

  private static func order(_ text: String) throws -> Sorting {
    let text = Hyphen.restored(text)
    let isReversed = text.hasPrefix("-")
    let name = isReversed ? String(text.dropFirst()) : text
    guard let order = name == "conf" ? .confidence : PhotoOrder(rawValue: name) else {
      let all = PhotoOrder.allCases.map { $0 == .confidence ? "conf" : $0.rawValue }
      throw ValidationError("“\(name)” is no order; there are \(all.joined(separator: ", ")).")
    }
    return Sorting(order: order, isReversed: isReversed)
  }

  func validate() throws {
    if isNullEnded, count || globals.json || format ?? .paths != .paths {
      throw ValidationError("-0 is for paths.")
    }
  }

  func run() throws {
    if let limit, limit < 1 {
      throw CairnError(.invalidInput, "A limit of \(limit) finds nothing.", hint: "Give 1 or more.")
    }
    guard offset >= 0 else {
      throw CairnError(.invalidInput, "\(offset) photos cannot be passed over.")
    }
    // What comes after “--” comes with it.
    let query = try photoQuery(
      self.query.filter { $0 != "--" }.map(Hyphen.restored).joined(separator: " "))
    let dataset = try globals.dataset()
    let format = isNullEnded ? .paths : format ?? (globals.json ? .json : .table)
    if count {
      let number = min(max(try dataset.count(query) - offset, 0), limit ?? .max)
      if format == .json { return Console.print(json: ["count": JSON(number)]) }
      return Console.print("\(number)")
    }
    let output = FoundOutput(format, pathEnd: isNullEnded ? "\0" : "\n")
    try dataset.forEachPhoto(
      query, by: sort.order, isReversed: sort.isReversed != reverse, offset: offset, limit: limit,
      output.print)
    output.finish()
  }
}
