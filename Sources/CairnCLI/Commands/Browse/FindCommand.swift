import ArgumentParser
import Cairn

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find photos by class, state, annotator, confidence, date, location or text.",
    discussion: HelpText.paragraphs(
      """
      Terms are combined with AND; OR, “-” (not), parentheses and quotes work as in search engines.

        label:dog             class, by key, name or alias
        state:disputed        confirmed, rejected, predicted, disputed or any
        conf:<0.6             confidence: <0.6, >=0.9, 0.5..0.6
        by:alice              annotator: email address, its name part, or me
        model:resnet50        model: NAME or NAME@VERSION
        run:41d8              run
        said:2026-05..2026-07 date labeled (UTC): day, month, year or range
        taken:2024-05         date taken, by the camera's clock
        pin:harbour           pin, by name or id
        near:48.85,2.35,2km   latitude, longitude, radius
        in:2.2,48.8,2.5,48.9  west, south, east, north
        camera:canon          camera make or model
        author:adams          author; also license:cc-by, source:commons
        similar:3fa9          similar photos; similar:3fa9,4: more similar
        has:region            has a box; has:pin, place, title, text, …
        is:unlabeled          also is:favorite (yours), is:removed
        old hem*              words in title, caption, file name, pin, labels

      Text matches whole words; “*” matches the rest of a word. Case and accents are ignored.
      Several label terms must match the same class: “label:dog by:alice” finds dogs labeled by
      Alice. Negated terms are matched on their own.

      EXAMPLES
        cairn find label:dog state:disputed
        cairn find 'model:resnet50 conf:<0.6 -by:me' --limit 20
        cairn find 'label:"Cairn terrier" (pin:harbour OR near:57.5,-3.9,10km)' --sort -taken
        cairn find has:region -0 | xargs -0 ls -l
      """))

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("The query (default: all photos).", valueName: "query"))
  var query: [String] = []
  @Option(help: ArgumentHelp("Maximum number of results.", valueName: "n")) var limit: Int?
  @Option(help: ArgumentHelp("Number of results to skip.", valueName: "n")) var offset = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      id, taken, added, said (latest first), conf (highest first) or title; a leading - reverses \
      the order.
      """,
      valueName: "order"),
    transform: Find.order)
  var sort = Sorting(order: .id, isReversed: false)
  @Flag(help: "Reverse the order.") var reverse = false
  @Flag(help: "Print only the count.") var count = false
  @Option(help: "table, json, csv, paths or geojson.") var format: FindFormat?
  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Separate paths by zero bytes, for `xargs -0`.")
  var isNullTerminated = false
  @OptionGroup var globals: GlobalOptions

  struct Sorting {
    let order: PhotoOrder
    let isReversed: Bool
  }

  private static func order(_ text: String) throws -> Sorting {
    let text = ArgumentEscaping.unescaped(text)
    let isReversed = text.hasPrefix("-")
    let name = isReversed ? String(text.dropFirst()) : text
    guard let order = name == "conf" ? .confidence : PhotoOrder(rawValue: name) else {
      let all = PhotoOrder.allCases.map { $0 == .confidence ? "conf" : $0.rawValue }
      throw ValidationError("“\(name)” is not an order; use one of \(all.joined(separator: ", ")).")
    }
    return Sorting(order: order, isReversed: isReversed)
  }

  func validate() throws {
    if isNullTerminated, count || globals.json || format ?? .paths != .paths {
      throw ValidationError("-0 can only be used with --format paths.")
    }
  }

  func run() throws {
    if let limit, limit < 1 {
      throw CairnError(.invalidInput, "--limit \(limit) is too small.", hint: "Use 1 or more.")
    }
    guard offset >= 0 else {
      throw CairnError(.invalidInput, "--offset \(offset) is negative.")
    }
    let terms = self.query.prefix { $0 != "--" }
    if let option = terms.first(where: { $0.hasPrefix("--") }) {
      throw CairnError(
        .usage, "Unknown option “\(option)”.", hint: "`cairn find --help` lists the options.")
    }
    // The arguments after “--” include the “--” itself.
    let query = try photoQuery(
      self.query.filter { $0 != "--" }.map(ArgumentEscaping.unescaped).joined(separator: " "))
    let dataset = try globals.dataset()
    let format = isNullTerminated ? .paths : format ?? (globals.json ? .json : .table)
    if count {
      let number = min(max(try dataset.count(query) - offset, 0), limit ?? .max)
      if format == .json { return Console.print(json: ["count": JSON(number)]) }
      return Console.print("\(number)")
    }
    let output = FindFormatter(format, pathTerminator: isNullTerminated ? "\0" : "\n")
    try dataset.forEachPhoto(
      query, by: sort.order, isReversed: sort.isReversed != reverse, offset: offset, limit: limit,
      output.print)
    output.finish()
  }
}
