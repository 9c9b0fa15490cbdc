import ArgumentParser
import Cairn

struct Review: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review",
    abstract: "Answer questions about doubtful labels, one after another.",
    discussion: HelpText.paragraphs(
      """
      Asks about doubtful labels in this order:

        disputed     people disagree
        unsure       a model is close to its threshold, or undecided between two classes
        models       models disagree, and no person has labeled the class
        removed      a photo was removed on one device and labeled on another
        duplicates   people gave a class to only one of two photos that look the same
        suspect      a model that was trained without the photo contradicts people's labels
        rare         a model predicts a class with few examples

      To find duplicates, each new image is read once. If more than 5,000 images are new, duplicates
      are skipped unless requested with --reason.

      For photos without labels (`--find is:unlabeled`), it asks “What is it?”. The number keys
      choose a class, the most likely first: what models predict, then the classes of nearby
      photos and of your latest answers, then the most common classes.

      For an exclusive set, it asks once per photo, and the number keys choose among the classes of
      the set.

      `--sort uncertainty` asks about the photos (100 by default) that a model trained with
      `cairn train` is least sure of, because it learns the most from them; photos on which people
      have already labeled its classes are left out, and so are near duplicates. Train again
      afterwards. `--reason suspect` asks about labels that are probably mistakes.

      `--all-predicted` confirms confident predictions (at least `--min`, 0.9 by default), page by
      page; `--yes` confirms them all at once.

      Keys: a class (1 to 9), accept (a or y), reject (r or n), another class (c, Tab completes),
      skip (s), undo (u), favorite (f), open in the viewer (o), help (?), quit (q).

      `--picture` shows each photo above its question, like `cairn show --picture`, with the boxes
      of the class.

      Each answer is saved immediately, as by `cairn label`; `cairn sync` commits and shares the
      answers. A question that you have answered is not asked again until someone disagrees.

      Several people can share the queue without a server: the first uses `--share 1/3`, the second
      2/3, the third 3/3.

      EXAMPLES
        cairn review
        cairn review --reason disputed,models --share 2/3
        cairn review --find 'pin:harbor' --class "Cairn terrier"
        cairn review --find is:unlabeled --picture
        cairn review --sort uncertainty --limit 50
        cairn review --reason suspect
        cairn review --all-predicted --class oak --min 0.95 --dry-run
        cairn review --json --limit 100
      """))

  @OptionGroup var find: FindOption
  @Option(name: .customLong("class"), help: "Only questions about this class.")
  var className: String?
  @Option(
    help: ArgumentHelp("Only these reasons, separated by commas.", valueName: "reasons"),
    transform: Review.reasons)
  var reason: Set<ReviewReason>?
  @Option(
    help: ArgumentHelp(
      "Your share of the queue: 2/3 is the second of three shares.", valueName: "n/count"))
  var share: String?
  @Option(
    help: ArgumentHelp(
      "With uncertainty, photos that a trained model is least sure of come first.",
      valueName: "order"))
  var sort: ReviewOrder?
  @Option(help: "The labeler (default: the only one).") var labeler: String?
  @OptionGroup var limit: LimitOption
  @Flag(help: "Print only the count.") var count = false
  @Flag(help: "Include questions that you skipped before.") var skipped = false
  @Flag(help: "Undo your last answer and exit.") var undo = false
  @Flag(help: "Confirm confident predictions, a page at a time.") var allPredicted = false
  @Option(
    name: .customLong("min"),
    help: ArgumentHelp(
      "With --all-predicted, the minimum confidence (default: 0.9).", valueName: "confidence"))
  var least: Double?
  @OptionGroup var bulk: BulkEditOptions
  @Flag(help: "Show each photo above its question.") var picture = false
  @Option(
    help: ArgumentHelp(
      "How to show images in the terminal (default: detected).", valueName: "protocol"))
  var via: TerminalImageProtocol?
  @OptionGroup var globals: GlobalOptions

  private static func reasons(_ text: String) throws -> Set<ReviewReason> {
    let names = text.split(separator: ",").map { String($0) }
    let reasons = names.map { ReviewReason(rawValue: $0) }
    if let index = reasons.firstIndex(of: nil) {
      let all = ReviewReason.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("“\(names[index])” is not a reason; use \(all).")
    }
    guard !names.isEmpty else { throw ValidationError("--reason is empty.") }
    return Set(reasons.compactMap { $0 })
  }

  private func readShard(_ text: String) throws -> ReviewShard {
    guard let shard = ReviewShard(text) else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a share.", hint: "The second of three is `--share 2/3`.")
    }
    return shard
  }

  func validate() throws {
    if !allPredicted, least != nil || bulk.yes || bulk.dryRun {
      throw ValidationError("--min, --yes and --dry-run require --all-predicted.")
    }
    if allPredicted, undo || count || skipped || reason != nil {
      throw ValidationError(
        "--all-predicted cannot be used with --undo, --count, --skipped or --reason.")
    }
    if sort == nil, labeler != nil { throw ValidationError("--labeler requires --sort.") }
    if sort != nil, undo || allPredicted || skipped || reason != nil || className != nil {
      throw ValidationError(
        "--sort cannot be used with --undo, --all-predicted, --skipped, --reason or --class.")
    }
    if let least, !(0...1 ~= least) {
      throw ValidationError("--min must be between 0 and 1.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let limit = try limit.value()
    let query = try find.query()
    let shard = try share.map(readShard)
    if undo { return try undoLast(dataset) }
    if allPredicted { return try confirmPredictions(dataset, query, shard, limit) }
    if sort != nil { return try reviewUncertain(dataset, query ?? .everything, shard, limit) }
    if let query, query.isOfUnlabeled, reason == nil, className == nil {
      return try reviewUnlabeled(dataset, query, shard, limit)
    }
    var request = ReviewFilter()
    request.query = query
    (request.className, request.shard) = (className, shard)
    if let reason { request.reasons = reason }
    // Duplicates that were requested explicitly may take time.
    if reason?.contains(.duplicates) == true { request.hashLimit = .max }
    request.includesSkipped = skipped
    if count {
      let number = min(try dataset.reviewCount(request), limit ?? .max)
      return Console.print(globals, ["count": JSON(number)]) { Console.print("\(number)") }
    }
    if globals.json { return try list(dataset, request, limit) }
    try review(dataset, request, limit)
  }

  private func undoLast(_ dataset: Dataset) throws {
    guard let undone = try dataset.startReview().undo() else {
      throw CairnError(.notFound, "There is nothing to undo.")
    }
    let photo = undone.item.photo
    let text = ReviewMessage.undone(undone.outcome).text
    Console.print(
      globals,
      [
        "class": JSON(undone.item.classKey?.text), "photo": .string(photo.description),
        "outcome": .string(text),
      ]
    ) {
      Console.print("\(photo.short)  \(undone.item.classKey?.text ?? "")")
      Console.print(text)
    }
  }

  /// Prints the queue as JSON, while it is read.
  private func list(_ dataset: Dataset, _ request: ReviewFilter, _ limit: Int?) throws {
    let list = JSONArrayWriter()
    try dataset.forEachReviewQuestion(request, limit: limit) { list.add($0.rendered) }
    list.finish()
  }

  func requireTerminal(hint: String) throws {
    guard isTerminal(0), isTerminal(1) else {
      throw CairnError(
        .invalidInput, "A review requires a terminal as its input and output.", hint: hint)
    }
  }

  private func review(_ dataset: Dataset, _ request: ReviewFilter, _ limit: Int?) throws {
    try requireTerminal(
      hint: "`cairn review --json` prints the queue; `cairn accept` and `cairn reject` answer.")
    let sessionLimit = Dataset.reviewSessionLimit
    let all = try dataset.reviewQueue(request, limit: min(limit ?? sessionLimit, sessionLimit))
    if all.isEmpty {
      Console.print("Nothing to review.")
      return Console.hint("`cairn review --undo` undoes your last answer.")
    }
    let suggestions = try ClassSuggestions(dataset)
    let items = suggestions.askingSetsOnce(all)
    let session = try dataset.startReview()
    let (ui, imageProtocol) = try userInterface()
    let controller = ReviewController(
      dataset, session, items, ui, suggestions, imageProtocol: imageProtocol)
    let signal = try controller.run()
    ui.close()
    controller.printSummary()
    if all.count == sessionLimit { Console.print("There are more: run `cairn review` again.") }
    if let signal { endProcess(128 + signal) }
  }

  func userInterface() throws -> (any ReviewUI, TerminalImageProtocol?) {
    let isDumb = variable("TERM") == nil || variable("TERM") == "dumb"
    // Query the terminal before TerminalUI reads single keys.
    let imageProtocol =
      picture || via != nil ? TerminalImageProtocol.ofTerminal(preferring: via) : nil
    let ui: any ReviewUI = isDumb ? LineUI() : try TerminalUI()
    return (ui, imageProtocol)
  }
}

extension ReviewQuestion {
  fileprivate var rendered: JSON {
    [
      "class": JSON(classKey?.text), "name": JSON(className),
      "confidence": resolution.map { JSON($0.confidence) } ?? .null,
      "labels": .array(labels.map(\.rendered)),
      "photo": photo.rendered,
      "reason": .string(reasons[0].reason.rawValue),
      "reasons": .array(
        reasons.map {
          ["reason": .string($0.reason.rawValue), "text": .string($0.text)]
        }), "state": JSON(resolution?.state.rawValue),
    ]
  }
}
