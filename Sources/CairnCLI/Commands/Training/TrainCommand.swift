import ArgumentParser
import Cairn
import CairnFiles
import SystemPackage

struct Train: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train", abstract: "Train a model on people's labels, without a network.",
    discussion: HelpText.paragraphs(
      """
      The model learns from what people confirmed and rejected, never from what models predicted.
      The classes of an exclusive set need at least 10 photos each; other classes also need 10
      photos on which people rejected them, because a class that nobody labeled is not necessarily
      absent.

      The features of photos are computed on this machine and cached, so training again takes
      seconds. Near-duplicates are kept in the same fold of the cross-validation. With --split, the
      model learns from the subset “train”, and is also tested on “test”. The same labels and images
      give the same model on every machine; its version is the beginning of its digest. A run
      records the training and its figures. `cairn predict --labeler NAME` uses the model; other
      programs can use its ONNX file and the description next to it.

      EXAMPLES
        cairn train trees                           the only exclusive set
        cairn train trees --set species --find 'pin:harbour'
        cairn train lichen --classes lichen,moss    classes that do not exclude each other
        cairn train trees --split train=80,test=20 --output trees.onnx
      """))

  @Argument(help: "The name of the model and of its labeler.") var name: String
  @OptionGroup var find: FindOption
  @Option(help: ArgumentHelp("Learn the classes of this exclusive set.", valueName: "set"))
  var set: String?
  @Option(
    help: ArgumentHelp(
      "Learn these classes, which do not exclude each other.", valueName: "class,class…"))
  var classes: String?
  @Option(
    help: ArgumentHelp(
      "Subsets with their shares (train=80,val=10,test=10), or the name of a recorded split.",
      valueName: "parts"))
  var split: String?
  @Flag(help: "Keep photos of the same pin in the same fold of the cross-validation.")
  var groupByPin = false
  @Option(
    help: ArgumentHelp(
      "Also write the model to this file, and its description next to it.", valueName: "file.onnx"))
  var output: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if set != nil, classes != nil {
      throw ValidationError("--set and --classes cannot be combined.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset(quiet)
    var request = TrainingRequest(name: name)
    if let query = try find.query() { request.query = query }
    request.queryText = find.queryText
    request.set = set
    request.classNames = (classes ?? "").split(separator: ",").map { String($0) }
    (request.split, request.groupsByPin) = (split, groupByPin)
    let report = try dataset.train(request)
    if let output { try write(report, to: FilePath(output)) }
    Console.print(globals, report.json) {
      if quiet.isOn { return }
      Console.print(report.text)
      Console.print()
      Console.hint("Run it: `cairn predict --labeler \(report.model.model?.name ?? "")`.")
    }
  }

  private func write(_ report: TrainingReport, to file: FilePath) throws {
    do {
      let files = FileSystem()
      var (source, target) = (report.file, file)
      for suffix in ["onnx", "json"] {
        (source.extension, target.extension) = (suffix, suffix)
        let bytes = try files.read(source) ?? []
        try files.write(bytes, to: target, temporary: FilePath("\(target).new"))
      }
    } catch {
      throw CairnError(error)
    }
  }
}
