import ArgumentParser
import Cairn

struct Predict: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict", abstract: "Ask a labeler what is on photos, and note what it says.",
    discussion: """
      What it says becomes labels of its model, of one run: `cairn run withdraw` takes them back as a
      whole, and people's labels decide over them. Photos that this version of the model has predicted
      already are passed over, so that the same command goes on where it was ended. A caption becomes a
      label of the class “description”.

      Names that the model uses are looked up among the classes and their aliases; a name that means no
      class becomes one.

      EXAMPLES
        cairn predict                               all photos, with the only labeler
        cairn predict --labeler azure --pin Harbour
        cairn predict --find state:disputed --top 3 --min 0.2
        cairn predict 3fa9 c4d0 --again
        cairn predict --retry                       those that failed

      It ends with 1 when some photos failed, and with 66 when images are not on this disk.
      """)

  @OptionGroup var selection: ImageSelection
  @Option(help: "The labeler; else the only one there is.") var labeler: String?
  @Option(help: "The most classes of a photo.") var top = 5
  @Option(name: .customLong("min"), help: "The least score, between 0 and 1.") var least = 0.05
  @Flag(help: "Also photos that have predictions of this version of the model.") var again = false
  @Flag(help: "Only photos that failed.") var retry = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var options = PredictionOptions()
    (options.top, options.least) = (top, least)
    (options.isAgain, options.isRetry) = (again, retry)
    let report = try dataset.predict(
      try selection.ids(in: dataset), with: try dataset.labeler(labeler), options: options)
    Console.print(globals, report.rendered) { report.print() }
    if let end = report.end {
      Console.note(Console.printable(end.message))
      if let hint = end.hint { Console.hint(hint) }
      throw ExitCode(end.kind.exitCode)
    }
    if !report.failed.isEmpty { throw ExitCode(1) }
    if !report.notHere.isEmpty { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
  }
}

extension PredictionReport {
  fileprivate var rendered: JSON {
    [
      "empty": JSON(empty),
      "failed": .array(
        failed.map { ["photo": .string($0.photo.description), "reason": .string($0.reason)] }),
      "labels": JSON(labels), "message": JSON(end?.message), "model": .string(model.identity),
      "notHere": .array(notHere.map { .string($0.description) }), "photos": JSON(photos),
      "run": JSON(run?.id.text), "skipped": JSON(skipped),
      "unusable": .array(unusable.map { .string($0) }),
    ]
  }

  fileprivate func print() {
    for (photo, reason) in failed {
      Console.print("\(Style.red("failed")) \(photo.short): \(Console.printable(reason))")
    }
    for name in unusable {
      Console.print("“\(Console.printable(name))” cannot be the name of a class, and is left out")
    }
    if photos == 0, failed.isEmpty, empty == 0, notHere.isEmpty {
      return Console.print(
        "Nothing to predict\(skipped > 0 ? ": \(model.identity) has been asked" : "").")
    }
    let name = run.map { " in the run \($0.id.text.prefix(8))" } ?? ""
    Console.print(
      "\(count(photos, "photo")) predicted by \(Console.printable(model.identity)): "
        + "\(count(labels, "label"))\(name).")
    if empty > 0 { Console.print("It has nothing to say of \(count(empty, "photo")).") }
    if skipped > 0 {
      Console.print("\(count(skipped, "photo")) had been predicted: `--again` asks again.")
    }
    if !failed.isEmpty {
      Console.print("\(count(failed.count, "photo")) failed: `cairn predict --retry` tries again.")
    }
    if !notHere.isEmpty {
      Console.print(
        "\(count(notHere.count, "image")) not on this disk: `cairn images fetch` brings them.")
    }
  }
}
