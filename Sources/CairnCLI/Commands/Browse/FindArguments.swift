import ArgumentParser
import Cairn

/// The query and the options of `cairn find` and `cairn photo list`.
struct FindArguments: ParsableArguments {
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("The query (default: all photos).", valueName: "query"))
  var query: [String] = []
  @OptionGroup var limit: LimitOption
  @Option(help: ArgumentHelp("Number of results to skip.", valueName: "n")) var offset = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      id, taken, added, labeled (latest label first), conf (highest first) or title; a leading - \
      reverses the order.
      """,
      valueName: "order"),
    transform: FindArguments.order)
  var sort = Sorting(order: .id, isReversed: false)
  @Flag(help: "Reverse the order.") var reverse = false
  @Flag(help: "Print only the count.") var count = false
  @Option(help: "The format of the output (default: table).") var format: FindFormat?
  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "End each path with a zero byte, for `xargs -0`.")
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
    guard let order = PhotoOrder(named: name) else {
      let all = PhotoOrder.allCases.map { $0 == .confidence ? "conf" : $0.rawValue }
      throw ValidationError(
        "“\(name)” is not a sort order; use one of \(all.joined(separator: ", ")).")
    }
    return Sorting(order: order, isReversed: isReversed)
  }

  func validate() throws {
    if isNullTerminated, count || globals.json || format ?? .paths != .paths {
      throw ValidationError("-0 can only be used with --format paths.")
    }
    if globals.json, format ?? .json != .json {
      throw ValidationError("--json can only be used with --format json.")
    }
  }

  func run() throws {
    let limit = try limit.value()
    guard offset >= 0 else {
      throw CairnError(.invalidInput, "--offset \(offset) is negative.")
    }
    let terms = self.query.prefix { $0 != "--" }
    if let option = terms.first(where: { $0.hasPrefix("--") }) {
      throw CairnError(
        .usage, "Unknown option “\(option)”.", hint: "`cairn find --help` lists the options.")
    }
    // Opened first: `-C` changes the directory that files in the query are relative to.
    let dataset = try globals.dataset()
    // The arguments after “--” include the “--” itself.
    let text = self.query.filter { $0 != "--" }.map(ArgumentEscaping.unescaped)
      .joined(separator: " ")
    let query = try photoQuery(text)
    let format = isNullTerminated ? .paths : format ?? (globals.json ? .json : .table)
    if count {
      let number = min(max(try dataset.count(query) - offset, 0), limit ?? .max)
      if format == .json { return Console.print(json: ["count": JSON(number)]) }
      return Console.print("\(number)")
    }
    let output = FindFormatter(
      format, pathTerminator: isNullTerminated ? "\0" : "\n",
      emptyText: query == .everything && offset == 0
        ? "No photos yet. Add some: `cairn photo add DIR`."
        : hasLowercaseOperator(text)
          ? "No photos match. Operators are in upper case: AND, OR, NOT." : "No photos match.")
    try dataset.forEachPhoto(
      query, by: sort.order, isReversed: sort.isReversed != reverse, offset: offset, limit: limit,
      output.print)
    output.finish()
  }
}

/// Returns whether a query has a word that is an operator in upper case.
private func hasLowercaseOperator(_ query: String) -> Bool {
  query.split(separator: " ").contains { ["and", "or", "not"].contains($0) }
}

extension PhotoOrder {
  /// Creates the order that `--sort` and requests call by this name; `said` is the earlier name of
  /// `labeled`.
  init?(named name: String) {
    self.init(rawValue: ["conf": "confidence", "said": "labeled"][name] ?? name)
  }
}
