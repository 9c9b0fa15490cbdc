import ArgumentParser
import Cairn
import CairnBase

struct LabelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "label", _superCommandName: "cairn", abstract: "Label photos with classes.",
    discussion: HelpText.paragraphs(
      """
      Leading arguments that name photos of the dataset are photos; the rest are classes. A photo
      is named by its id, by the path of its file, or by the name that its file had when it was
      added, such as IMG_0003.jpg, if no other photo has it. If the name of a class could also
      name a photo, use `--class`. With `--find` or `--pin`, all arguments are classes.

      A class that does not exist yet is created only with `--create`, or if you answer y on the
      terminal, so that a typo does not become a class. `cairn config set cairn.createClasses true`
      creates classes without asking. Labels of a model (`--as`, `--run`) create the classes they
      need. If a command with `--find` or `--pin` would change more than 20 photos, or earlier
      verdicts of yours, cairn asks first, unless you give `--yes`; `cairn undo` undoes the
      command.

      EXAMPLES
        cairn label 3fa9 c4d0 "Cairn terrier"
        cairn label IMG_0003.jpg oak
        cairn label 3fa9 heather --create
        cairn label 3fa9 cat --absent
        cairn label 3fa9 dog --as resnet50@2026-01 --confidence 0.93
        cairn label 3fa9 dog --run 41d8 --confidence 0.93
        cairn label 3fa9 dog --region 0.1,0.2,0.5,0.4
        cairn label 3fa9 description --text "Two dogs at the harbor"
        cairn label "coast" --find 'near:48.85,2.35,2km taken:2024-05'
      """))

  @Argument(help: ArgumentHelp("Photos, then classes.", valueName: "photo… class"))
  var arguments: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Option(name: .customLong("class"), help: "A class. Can be repeated.") var classes: [String] = []
  @Flag(help: "Label the classes as absent.") var absent = false
  @Option(
    name: .customLong("as"), help: ArgumentHelp("Label as this model.", valueName: "model@version"))
  var model: String?
  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("Label as the model of this run.", valueName: "run"))
  var runID: String?
  @Option(help: "The confidence, between 0 and 1. (default: 1.0)") var confidence: Double?
  @Option(help: ArgumentHelp("A box, in fractions of the image.", valueName: "x,y,w,h")) var region:
    String?
  @Option(help: "The label's text, such as a description.") var text: String?
  @Flag(help: "Create classes that do not exist yet.") var create = false
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if arguments.isEmpty, classes.isEmpty || !selection.isGiven {
      throw ValidationError("Give photos and classes, such as `3fa9 oak`.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let (photos, classes) = try photosAndClasses(in: dataset)
    guard !photos.isEmpty, !classes.isEmpty else {
      throw CairnError(
        .usage, "No class is given.",
        hint: "`cairn label PHOTO… CLASS…`, such as `cairn label 3fa9 oak`.")
    }
    var assertion = LabelAssertion(
      absent ? .absent : .present, confidence: confidence ?? 1,
      run: try runID.map { try dataset.run($0).id }, box: try region.map(box))
    assertion.annotator = try model.map(annotator(model:))
    assertion.text = text
    if bulk.dryRun { return try printDryRun(photos, classes, assertion, dataset) }
    if model == nil, runID == nil { try requireClasses(classes, in: dataset) }
    if selection.isGiven {
      try bulk.confirm(
        "label", photos, dataset.verdictChanges(labeling: photos, classes, assertion),
        to: ": \(dataset.labelCounts(labeling: photos, classes, assertion).text)")
    }
    try dataset.label(photos, classes, assertion).print(globals)
  }

  private func printDryRun(
    _ photos: [PhotoID], _ classes: [String], _ assertion: LabelAssertion, _ dataset: Dataset
  ) throws {
    let number = Set(photos).count
    let new = try dataset.unknownClasses(among: classes).map(\.name)
    let changes = try dataset.verdictChanges(labeling: photos, classes, assertion)
    let counts = try dataset.labelCounts(labeling: photos, classes, assertion)
    let sentences =
      ["Would label \(count(number, "photo")): \(counts.text)."]
      + new.map { "Would create the class “\($0)”." } + [changes.sentence].compactMap(\.self)
    Console.printDryRun(
      globals,
      [
        "changedLabels": JSON(counts.changed), "contradictions": JSON(counts.contradictions),
        "knownLabels": JSON(counts.known),
        "newClasses": .array(new.map { .string($0) }), "newLabels": JSON(counts.new),
        "photos": JSON(number), "verdictChanges": JSON(changes.count),
      ], sentences)
  }

  /// Splits the arguments into photos and, after them, classes. With `--class` all arguments are
  /// photos; without it the last one is always a class.
  private func photosAndClasses(
    in dataset: Dataset
  ) throws -> (photos: [PhotoID], classes: [String]) {
    if !classes.isEmpty || !arguments.isEmpty, let found = try selection.idsToChange(in: dataset) {
      return (found, arguments + classes)
    }
    var photos: [PhotoID] = []
    var rest = arguments[...]
    while let argument = rest.first, rest.count > (classes.isEmpty ? 1 : 0) {
      do {
        photos.append(try dataset.photoID(argument, relativeTo: currentDirectory()))
      } catch {
        let canBeClass = !photos.isEmpty && classes.isEmpty
        guard canBeClass, error.kind == .notFound else { throw error }
        break
      }
      rest.removeFirst()
    }
    return (photos, classes + rest)
  }

  private func box(_ text: String) throws -> NormalizedRect {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3]
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a region.",
        hint: "Give x,y,width,height, such as 0.1,0.2,0.5,0.4.")
    }
    return NormalizedRect(x: x, y: y, width: width, height: height)
  }
}
