import ArgumentParser
import Cairn
import CairnBase
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
      seconds. Near duplicates are kept in the same fold of the cross-validation. With --split, the
      model learns from the subset “train”, and is also tested on “test”. The same labels and images
      give the same model on every machine; its version is the beginning of its digest. A run
      records the training and its figures. The model is committed and synced with the images:
      `cairn predict --labeler NAME` uses it here and in clones. Other programs can use its ONNX
      file.

      --features learns from the output of an ONNX model that describes images, such as MobileNet,
      CLIP or DINOv2, instead of from cairn's own features. Its description (FILE.json, as for
      `cairn labeler add --onnx`, without classes) names the preprocessing and the output. This
      needs ONNX Runtime (see `cairn help labeler add`). The file of the trained model contains this
      model, too, so it stays on this device, and clones do not get it; --output copies it.

      --augment also learns from a changed copy of each photo for each change that it names. Copies
      do not count as photos, and no figure is computed on them. This is off by default, because
      mirrored copies changed the accuracy by at most half a point when it was measured, and each
      change takes about as long as computing the features of the photos.

      --watch trains again whenever people have labeled or corrected 20 more photos (--every), here or
      on the page of `cairn serve`, and ends when the learning curve is flat: when, in two trainings
      in a row, 100 more labels per class would add less than half a point, even if the uncertainty
      of the figures is taken into account. Ctrl-C ends it earlier; the last model stays.

      EXAMPLES
        cairn train trees                           the only exclusive set
        cairn train trees --set species --find 'pin:harbor'
        cairn train lichen --classes lichen,moss    classes that do not exclude each other
        cairn train trees --split train=80,test=20 --output trees.onnx
        cairn train trees --features dinov2.onnx
        cairn train trees --augment crop,flip
        cairn train trees --watch --every 50        while you label in `cairn review`
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
      valueName: "shares"))
  var split: String?
  @Flag(help: "Keep the photos of a pin together, in the same fold and the same subset.")
  var groupByPin = false
  @OptionGroup var model: FeatureOptions
  @Option(
    help: ArgumentHelp(
      "Also learn from changed copies of the photos: "
        + "\(Augmentation.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "change,change…"))
  var augment: String?
  @Option(help: ArgumentHelp("Also write the model to this file.", valueName: "file.onnx"))
  var output: String?
  @Flag(help: "Overwrite the --output file, even if it is not a model of this name.")
  var force = false
  @Flag(help: "Train again while people label, until more labels would add little.")
  var watch = false
  @Option(
    help: ArgumentHelp(
      "With --watch, the number of photos to label before the next training (default: 20).",
      valueName: "count"))
  var every: Int?
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if set != nil, classes != nil {
      throw ValidationError("--set and --classes cannot be combined.")
    }
    if classes != nil, classNames.isEmpty {
      throw ValidationError("--classes needs at least one class: `--classes oak,ash`.")
    }
    if let output, FilePath(output).extension != "onnx" {
      throw ValidationError("The name of the --output file must end in .onnx.")
    }
    if every != nil, !watch { throw ValidationError("--every requires --watch.") }
    if let every, every < 1 { throw ValidationError("--every must be at least 1.") }
    if force, output == nil { throw ValidationError("--force requires --output.") }
  }

  private var classNames: [String] {
    (classes ?? "").split(separator: ",")
      .map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
  }

  private func augmentations() throws -> Set<Augmentation> {
    let names = augment?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    return try Set(names.map { try augmentation(named: String($0).trimmingSpaces()) })
  }

  private func augmentation(named name: String) throws -> Augmentation {
    if let augmentation = Augmentation(rawValue: name) { return augmentation }
    let all = Augmentation.allCases.map(\.rawValue)
    let closest = all.map { (name: $0, distance: editDistance($0, name)) }
      .filter { $0.distance <= 2 }.min { $0.distance < $1.distance }?.name
    throw CairnError(
      .usage, "“\(name)” is not an augmentation.",
      hint: closest.map { "Did you mean `\($0)`?" } ?? "Use \(all.joined(separator: ", ")).")
  }

  func run() throws {
    let augmentations = try augmentations()
    let dataset = try globals.dataset()
    var request = TrainingRequest(name: name)
    if let query = try find.query() { request.query = query }
    request.queryText = find.queryText
    request.subject = classes == nil ? .exclusiveSet(set) : .classes(classNames)
    (request.split, request.groupsByPin) = (split, groupByPin)
    (request.features, request.library) = (model.file, model.libraryPath)
    request.augmentations = augmentations
    request.output = output.map { currentDirectory().pushing(FilePath($0)) }
    request.replacesOutput = force
    if watch {
      do {
        return try SignalHandling.watch { try trainRepeatedly(dataset, request) }
      } catch {
        // The last model stays.
        try SignalHandling.end()
        throw error
      }
    }
    show(try dataset.train(request))
  }

  private func show(_ report: TrainingReport) {
    Console.print(globals, report.json) {
      if globals.quiet { return }
      Console.print(report.text)
      Console.print()
      Console.hint("Run it: `cairn predict --labeler \(report.model.model?.name ?? "")`.")
    }
  }

  private func trainRepeatedly(_ dataset: Dataset, _ request: TrainingRequest) throws {
    try dataset.checkTraining(request)
    var training = RepeatedTraining(every: every ?? RepeatedTraining.defaultInterval)
    while !training.isFlat {
      let labels = try dataset.waitForLabels(
        request, since: training.labels, photos: training.photos)
      do throws(CairnError) {
        let report = try dataset.train(request)
        show(report)
        training.add(report)
      } catch {
        if let obstacle = try training.add(error, with: labels) { Console.note(obstacle) }
      }
    }
    Console.note(
      "the learning curve is flat: 100 more labels per class would add less than half a point.")
  }
}
