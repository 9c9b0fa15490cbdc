import Cairn

/// Confirms predictions page by page, or all at once.
struct AllPredicted {
  let dataset: Dataset
  let predictions: [PredictedClass]
  let globals: GlobalOptions

  private static let pageSize = 20

  private var photoCount: Int { Set(predictions.map(\.photo.id)).count }

  /// `12 oak, 3 elm`, most frequent first.
  private var classCounts: [(name: String, count: Int)] {
    Dictionary(grouping: predictions, by: \.name).map { (name: $0.key, count: $0.value.count) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The classes after a colon; empty without predictions.
  private var countText: String {
    let shown = classCounts.prefix(10).map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    return predictions.isEmpty ? "" : ": " + shown + (classCounts.count > 10 ? ", …" : "")
  }

  private var sentence: String {
    "\(count(predictions.count, "prediction")) on \(count(photoCount, "photo"))\(countText)."
  }

  func printDryRun() {
    let classes = classCounts.map { ($0.name, JSON($0.count)) }
    Console.printDryRun(
      globals,
      [
        "classes": .object(JSONObject(classes)), "labels": JSON(predictions.count),
        "photos": JSON(photoCount),
      ], ["Would confirm \(Console.printable(sentence))"])
  }

  /// Confirms all of them without asking.
  func confirmAtOnce() throws {
    try report(try dataset.confirm(predictions), of: predictions.count)
  }

  /// Shows the predictions and asks about each page.
  func confirmByPage() throws {
    guard isTerminal(0), isTerminal(1), !globals.json else {
      throw CairnError(
        .unconfirmed, "There are \(sentence)",
        hint: "To confirm them all: `\(ownCommandLine(adding: "--yes"))`.")
    }
    Console.print(Console.printable(sentence))
    var (rest, accepted, confirmed) = (predictions[...], 0, 0)
    pages: while !rest.isEmpty {
      let page = rest.prefix(AllPredicted.pageSize)
      Console.print()
      Console.table(page.map(row)).forEach { Console.print("  " + $0) }
      switch ask(page.count, of: rest.count) {
      case "a":
        accepted += rest.count
        confirmed += try dataset.confirm(Array(rest))
        break pages
      case "y":
        accepted += page.count
        confirmed += try dataset.confirm(Array(page))
      case "n": break
      default: break pages
      }
      rest = rest.dropFirst(page.count)
    }
    try report(confirmed, of: accepted)
  }

  private func row(_ prediction: PredictedClass) -> [String] {
    let photo = prediction.photo
    let name = photo.title.value.isEmpty ? photo.source.value : photo.title.value
    return [
      photo.id.short, prediction.name, "\((prediction.confidence * 100).rounded() / 100)", name,
    ]
  }

  /// Returns the answer: y, n, a, or q at the end of the input.
  private func ask(_ page: Int, of rest: Int) -> String {
    while true {
      let all = rest > page ? "a all \(rest) remaining, " : ""
      writeAll("Confirm these \(page)? (y yes, n no, \(all)q quit) ", to: 1)
      guard let line = readLine() else { return "q" }
      let answer = String(line.lowercased().drop { $0 == " " }.prefix(1))
      if ["y", "n", "a", "q"].contains(answer) { return answer }
    }
  }

  private func report(_ confirmed: Int, of accepted: Int) throws {
    Console.printChange(globals, ["confirmed": JSON(confirmed)]) {
      Console.print("Confirmed \(count(confirmed, "prediction")).")
      if confirmed < accepted {
        let left = count(accepted - confirmed, "prediction")
        Console.note("\(left) left alone: labeled or withdrawn in the meantime.")
      }
    }
  }
}
