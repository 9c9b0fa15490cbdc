import ArgumentParser
import Cairn

struct Evaluate: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measure models against people's labels: accuracy, F1, average precision, boxes.",
    discussion: HelpText.paragraphs(
      """
      The ground truth is what people's labels resolve to: confirmed or rejected. Where people's
      labels are disputed, there is no ground truth; a model's labels there are left out, and their
      number is reported. Each version of a model is measured on the photos that it was run on: a
      photo for which it gave no label, because no score reached `cairn predict --min`, counts as
      missed.

      For an exclusive set: top-1 accuracy is the share of photos on which the class with the
      highest confidence is right, and top-5 accuracy the share on which one of the five highest is.
      For other classes: precision, recall and F1 of labels that reach the threshold, and average
      precision. Macro is the mean over classes, micro counts all decisions together. For boxes:
      average precision at an overlap (IoU) of 0.5, and its mean over 0.5 to 0.95, as COCO computes
      them. Intervals are 95% confidence intervals. An undefined figure, such as the precision for a
      class that all photos have, is printed as a dash with the reason.

      Calibration compares a model's confidence with how often it is right, regardless of the
      threshold. The calibration error (ECE) is the mean difference over ten bins.

      EXAMPLES
        cairn evaluate
        cairn evaluate --model resnet50@2026-01 --class dog
        cairn evaluate --find 'pin:harbor' --json
      """))

  @Option(
    name: .customLong("model"),
    help: ArgumentHelp(
      "Only this model, or one version of it. Can be repeated.",
      valueName: "model"))
  var models: [String] = []
  @OptionGroup var options: MetricsOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let metrics = try dataset.modelMetrics(options.scope(), of: models)
    Console.print(globals, .array(metrics.map(\.json))) {
      if metrics.isEmpty { return Console.print("No model predicted these photos.") }
      for (index, model) in metrics.enumerated() {
        if index > 0 { Console.print() }
        Console.print(model.text)
      }
    }
  }
}
