import ArgumentParser
import Cairn

struct PhotoErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete images everywhere, or facts from the history, for good.",
    discussion: HelpText.paragraphs(
      """
      Deletes the bytes of the images, and everything computed from them, from this copy and from the
      image stores of all remotes. The photos, their labels, titles and locations stay. Who erased an
      image, when and why is recorded in the dataset. Every other copy deletes the image when it
      pulls or syncs, and no copy stores it again. This cannot be undone, so the command asks first. A
      photo that `cairn gc` has removed from the dataset can be given by its file or its id.

      A Git LFS server has no way to delete an image: the command prints what its administrator has
      to delete. For an image that is already erased, the command repeats all of this; --reason is
      not needed. `cairn verify --erased` searches for what is left. If an image store cannot be
      reached, the exit code is that of the error, such as 69, and the next `cairn pull` or `cairn
      push` tries again.

      --position, --metadata and --person erase facts from all of the history: each commit that has
      them, and each one after it, is replaced by one without them. This copy does so at once, every
      other copy when it pulls or syncs, and the next push replaces the branch of the remote. Labels
      that others have not synced yet are kept. People who use plain git run `git pull --rebase` once.
      `cairn undo` undoes neither this nor anything done before it. Old objects stay on the disk until
      `git gc --prune=now`.

      EXAMPLES
        cairn photo erase 3fa9 --reason "recognizable face"
        cairn photo erase --find 'label:person' --reason "people in the park" --dry-run
        cairn photo erase 3fa9 --position --reason "home address"
        cairn photo erase --person alice@example.org --reason "she asked for it"
      """))

  @Argument(help: "Unique prefixes of photo ids, or files: paths or original names.")
  var photos: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Flag(
    help: "Erase where the photos were taken from all of the history. The images stay."
  )
  var position = false
  @Flag(
    help: "Erase the images, and all facts and labels of the photos from all of the history."
  )
  var metadata = false
  @Option(
    help: ArgumentHelp(
      "Replace the address of a person by an opaque one in all of the history.",
      valueName: "address"))
  var person: String?
  @Option(help: "The reason. Everyone who has the dataset can read it.") var reason: String?
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if person != nil {
      if !photos.isEmpty || selection.isGiven || position || metadata {
        throw ValidationError("--person takes no photos, and no other option for what to erase.")
      }
    } else if photos.isEmpty != selection.isGiven {
      throw ValidationError("Give photos, or --find, --pin or --person instead.")
    }
    if position, metadata { throw ValidationError("--metadata includes --position.") }
  }

  func run() throws {
    let dataset = try globals.dataset()
    if let person { return try erase(person, dataset) }
    let ids =
      try selection.idsToChange(in: dataset)
      ?? photos.map { try dataset.erasablePhotoID($0, relativeTo: currentDirectory()) }
    if position || metadata { return try erase(metadata ? .metadata : .position, ids, dataset) }
    let plan = try dataset.planErasure(of: ids)
    if bulk.dryRun { return printPlan(plan) }
    try confirm("This would \(plan.sentence)", in: dataset, isNeeded: !plan.photos.isEmpty)
    let report = try dataset.erasePhotos(ids, reason: reason)
    Console.print(globals, report.rendered) {
      if !plan.erased.isEmpty {
        globals.print(
          "\(count(plan.erased.count, "image")) already erased; searched again"
            + (reason == nil || !plan.photos.isEmpty ? "." : ", and the first reason stays."))
      }
      report.print(globals)
    }
    if let error = report.failure { throw ExitCode(error.kind.exitCode) }
  }

  /// Asks whether to erase something, if there is a reason.
  private func confirm(_ text: String, in dataset: Dataset, isNeeded: Bool) throws {
    if !isNeeded { return }
    try dataset.checkedReason(reason, isNeeded: true)
    try bulk.confirm(forGood: text)
  }

  private func printPlan(_ plan: ErasurePlan) {
    Console.printDryRun(globals, JSONObject(plan.counts), plan.sentences)
  }

  // MARK: Facts

  private func erase(_ fact: Redaction.Fact, _ ids: [PhotoID], _ dataset: Dataset) throws {
    let what = fact == .metadata ? "the image and all facts of" : "the position of"
    let plan = try dataset.planErasure(of: fact, of: ids)
    let text = "erase \(what) \(count(Set(ids).count, "photo"))\(plan.report.counts)."
    if bulk.dryRun { return printPlan(plan, text) }
    try confirm(
      "This would \(text)", in: dataset,
      isNeeded: !plan.report.isEmpty || plan.images?.photos.isEmpty == false)
    let report = try dataset.erase(fact, of: ids, reason: reason)
    print(report.facts, report.images, plan, dataset)
    if let error = report.images?.failure { throw ExitCode(error.kind.exitCode) }
  }

  private func erase(_ person: String, _ dataset: Dataset) throws {
    let plan = try dataset.planErasure(ofPerson: person)
    if plan.report.commits == 0, plan.report.documents == 0, !plan.report.recorded.isEmpty {
      throw CairnError(
        .notFound, "Nothing in the history names \(Console.printable(person)).",
        hint:
          "`cairn log` shows the authors of commits, and `cairn agreement` the people who label.")
    }
    let text = "replace \(Console.printable(person)) by an opaque address\(plan.report.counts)."
    if bulk.dryRun { return printPlan(plan, text) }
    try confirm("This would \(text)", in: dataset, isNeeded: !plan.report.isEmpty)
    print(try dataset.erase(person: person, reason: reason), nil, plan, dataset)
  }

  private func printPlan(_ plan: RedactionPlan, _ text: String) {
    var counts = JSONObject(plan.report.members + (plan.images?.counts ?? []))
    counts["locatedImages"] = JSON(plan.locatedImages.count)
    Console.printDryRun(
      globals, counts,
      ["Would \(text)"] + (plan.images?.sentences ?? []) + [plan.located].compactMap(\.self))
  }

  private func print(
    _ report: RedactionReport, _ images: ErasureReport?, _ plan: RedactionPlan, _ dataset: Dataset
  ) {
    var object = JSONObject(report.members)
    object["images"] = images?.rendered ?? .null
    object["locatedImages"] = JSON(plan.locatedImages.count)
    Console.print(globals, .object(object)) {
      images?.print(globals)
      report.print(globals)
      if let located = plan.located { Console.note(located) }
      if report.commits > 0 {
        Console.hint(
          "`cairn sync` replaces the history at the remote. `git gc --prune=now`, while no other "
            + "program uses this copy, deletes the old objects from this disk.")
      }
    }
  }
}

extension ErasurePlan {
  fileprivate var counts: [(String, JSON)] {
    [
      ("bytes", JSON(bytes)), ("erasedBefore", JSON(erased.count)),
      ("photos", JSON(photos.count)), ("remotes", .array(remotes.map { .string($0) })),
    ]
  }

  /// `erase 3 images (5.2 MB) here and from the image stores of origin.`
  fileprivate var sentence: String {
    "erase \(count(photos.count, "image")) (\(byteText(bytes))) here"
      + (remotes.isEmpty
        ? "; there are no remotes."
        : " and from the image stores of \(remotes.joined(separator: ", ")).")
  }

  fileprivate var sentences: [String] {
    var sentences = ["Would \(sentence)"]
    if !erased.isEmpty { sentences.append("\(count(erased.count, "image")) already erased.") }
    return sentences
  }
}

extension RedactionPlan {
  /// A sentence about images that say where they were taken; nil if there are none.
  fileprivate var located: String? {
    if locatedImages.isEmpty { return nil }
    return "\(count(locatedImages.count, "image file")) may contain the location and "
      + "\(locatedImages.count == 1 ? "is" : "are") kept: `cairn photo erase` without --position "
      + "deletes images."
  }
}
