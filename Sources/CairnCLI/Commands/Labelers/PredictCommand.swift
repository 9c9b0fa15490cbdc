import ArgumentParser
import Cairn

struct Predict: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict", abstract: "Run a labeler on photos and record its predictions.",
    discussion: HelpText.paragraphs(
      """
      Predictions become labels of the model in one run, which `cairn run withdraw` can withdraw
      as a whole. People's labels always take precedence. Photos that this version of the model
      has already labeled are skipped, so an interrupted command continues where it stopped.
      Photos for which it gave no label are skipped, too, in every clone, because the run records
      them. A caption becomes a label of the class “description”.

      Without a labeler of that name on this device, the latest version of the trained model of the
      dataset is used, and fetched if it is not on this disk.

      The model's class names are compared with the names and aliases of classes; an unknown name
      becomes a new class.

      Exits with 65 if some photos failed, and with 66 if images are not on this disk.

      EXAMPLES
        cairn predict                               all photos, with the only labeler
        cairn predict --labeler azure --pin Harbor
        cairn predict --find state:disputed --top 3 --min 0.2
        cairn predict 3fa9 c4d0 --again
        cairn predict --retry                       photos that failed
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The labeler or trained model (default: the only one).") var labeler: String?
  @Option(help: "Maximum number of classes per photo; a class may have up to 100 boxes.")
  var top = 5
  @Option(
    name: .customLong("min"),
    help: ArgumentHelp(
      "Minimum confidence of a prediction, between 0 and 1.", valueName: "confidence"))
  var minimum = 0.05
  @Flag(help: "Include photos that this version of the model has labeled.") var again = false
  @Flag(help: "Include only photos that failed before.") var retry = false
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    if dryRun.isOn { return try printDryRun(dataset) }
    var options = PredictionOptions()
    (options.top, options.minimumScore) = (top, minimum)
    (options.includesPredicted, options.isRetry) = (again, retry)
    let (photos, labeler) = (try selection.ids(in: dataset), try dataset.labeler(labeler))
    if let notice = try dataset.notice(of: labeler) { Console.note(notice) }
    let report = try predict(dataset, photos, labeler, options)
    Console.print(globals, report.rendered) { report.print(globals) }
    if let end = report.end {
      Console.note(Console.printable(end.message))
      if let hint = end.hint { Console.hint(hint) }
      throw ExitCode(end.kind.exitCode)
    }
    if !report.failed.isEmpty { throw ExitCode(CairnError.Kind.invalidImage.exitCode) }
    if !report.missingImages.isEmpty { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
  }

  private func predict(
    _ dataset: Dataset, _ photos: [PhotoID]?, _ labeler: LabelerDescription,
    _ options: PredictionOptions
  ) throws -> PredictionReport {
    do {
      return try SignalHandling.watch {
        try dataset.predict(photos, with: labeler, options: options)
      }
    } catch {
      // The predictions so far are kept.
      try SignalHandling.end()
      throw error
    }
  }

  /// Prints how many photos would be predicted at most. The labeler is not run, so a model whose
  /// name only its answers state is taken for a new one.
  private func printDryRun(_ dataset: Dataset) throws {
    let labeler = try dataset.labeler(labeler)
    var photos = Set(try selection.ids(in: dataset) ?? dataset.find(.everything))
    if retry, let model = labeler.model {
      photos.formIntersection(try dataset.failedPredictions(of: model))
    }
    let done =
      try again || retry ? [] : labeler.model.map { try dataset.photos(labeledBy: $0) } ?? []
    let waiting = photos.subtracting(done)
    let missing = try dataset.imageInventory(of: Array(waiting)).elsewhere
    let (number, skipped) = (waiting.count - missing, photos.count - waiting.count)
    var sentences = ["Would run “\(labeler.name)” on up to \(count(number, "photo"))."]
    if skipped > 0 {
      sentences.append("\(count(skipped, "photo")) already predicted: `--again` includes them.")
    }
    if missing > 0 {
      sentences.append(
        "\(count(missing, "image")) not on this disk: "
          + "`cairn images fetch` fetches them.")
    }
    Console.printDryRun(
      globals,
      ["missingImages": JSON(missing), "photos": JSON(number), "skipped": JSON(skipped)], sentences)
  }
}

extension Dataset {
  /// Returns the visible photos with labels of a model.
  fileprivate func photos(labeledBy model: Annotator) throws -> [PhotoID] {
    do {
      return try find(.model(model.identity))
    } catch {
      guard error.kind == .notFound else { throw error }
      return []
    }
  }
}

extension PredictionReport {
  fileprivate var rendered: JSON {
    [
      "ambiguous": .array(ambiguous.map { .string($0.name) }), "empty": JSON(empty),
      "erasedImages": JSON(erasedImages),
      "failed": .array(
        failed.map { ["photo": .string($0.photo.description), "reason": .string($0.reason)] }),
      "labels": JSON(labels), "message": JSON(end?.message), "model": .string(model.identity),
      "missingImages": .array(missingImages.map { .string($0.description) }),
      "photos": JSON(photos),
      "run": JSON(run?.id.text), "skipped": JSON(skipped),
      "invalidClassNames": .array(invalidClassNames.map { .string($0) }),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    for failure in failed {
      let reason = Console.printable(failure.reason)
      Console.print("\(Style.red("failed")) \(failure.photo.short): \(reason)")
    }
    for name in invalidClassNames {
      Console.print("“\(Console.printable(name))” cannot be the name of a class; skipped")
    }
    for left in ambiguous {
      let sentence = left.message
      Console.print("\(Console.printable(sentence)); skipped")
    }
    if photos == 0, failed.isEmpty, empty == 0, missingImages.isEmpty {
      globals.print(
        "Nothing to predict"
          + (skipped > 0 ? ": \(model.identity) has already predicted these photos." : "."))
      return printErased(globals)
    }
    let name = run.map { " in the run \($0.id.text.prefix(8))" } ?? ""
    globals.print(
      "\(count(photos, "photo")) predicted by \(Console.printable(model.identity)): "
        + "\(count(labels, "label"))\(name).")
    if empty > 0 { globals.print("It predicted nothing for \(count(empty, "photo")).") }
    if skipped > 0 {
      globals.print(
        "\(count(skipped, "photo")) skipped, already predicted: `--again` includes them.")
    }
    if !failed.isEmpty {
      Console.print("\(count(failed.count, "photo")) failed: `cairn predict --retry` tries again.")
    }
    if !missingImages.isEmpty {
      Console.print(
        "\(count(missingImages.count, "image")) not on this disk: "
          + "`cairn images fetch` fetches them.")
    }
    printErased(globals)
  }

  private func printErased(_ globals: GlobalOptions) {
    if erasedImages > 0 {
      globals.print("\(count(erasedImages, "photo")) left out, whose image was erased.")
    }
  }
}
