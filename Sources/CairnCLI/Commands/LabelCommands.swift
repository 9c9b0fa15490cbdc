import ArgumentParser
import Cairn
import SystemPackage

struct LabelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "label", abstract: "Label photos with classes.",
    discussion: HelpText.paragraphs(
      """
      Arguments that name photos of the dataset are photos; the rest are classes. If a class could be taken
      for a photo, use `--class`. With `--find` or `--pin` all arguments are classes.

      A new class must be confirmed with `--create` or on the terminal, so that a typo does not become a
      class; `git config cairn.createClasses true` creates classes without asking. Models (`--as`, `--run`)
      create their own classes. If `--find` or `--pin` would change earlier verdicts of yours, cairn asks
      first; `--yes` confirms.

      EXAMPLES
        cairn label 3fa9 c4d0 "Cairn terrier"
        cairn label 3fa9 heather --create
        cairn label 3fa9 cat --absent
        cairn label 3fa9 dog --as resnet50@2026-01 --confidence 0.93
        cairn label 3fa9 dog --run 41d8 --confidence 0.93
        cairn label 3fa9 dog --region 0.1,0.2,0.5,0.4
        cairn label 3fa9 description --text "Two dogs at the harbour"
        cairn label "coast" --find 'near:48.85,2.35,2km taken:2024-05'
      """))

  @Argument(help: ArgumentHelp("Photos, then classes.", valueName: "photo… class")) var words:
    [String] = []
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
  @Option(help: "The confidence, between 0 and 1.") var confidence: Double = 1
  @Option(help: ArgumentHelp("A box, in fractions of the image.", valueName: "x,y,w,h")) var region:
    String?
  @Option(help: "The label's text, such as a description.") var text: String?
  @OptionGroup var creation: ClassCreation
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if words.isEmpty, classes.isEmpty || !selection.isGiven {
      throw ValidationError("Give photos and classes, such as `3fa9 oak`.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let (photos, classes) = try parted(in: dataset)
    guard !photos.isEmpty, !classes.isEmpty else {
      throw CairnError(
        .invalidInput, "No class is given.",
        hint: "`cairn label PHOTO… CLASS…`, such as `cairn label 3fa9 oak`.")
    }
    var statement = LabelAssertion(
      absent ? .absent : .present, annotator: try model.map(annotator(model:)),
      confidence: confidence, run: try runID.map { try dataset.run($0).id },
      box: try region.map(box))
    statement.text = text
    if model == nil, runID == nil { try creation.require(classes, in: dataset) }
    if selection.isGiven {
      try confirmation.require(dataset.verdictChanges(labeling: photos, classes, statement))
    }
    let edits = try dataset.label(photos, classes, statement)
    printEdits(edits, globals)
  }

  /// Parts the words: photos first, then classes. With `--class` all words are photos; without it
  /// the last one is a class in any case.
  private func parted(in dataset: Dataset) throws -> (photos: [PhotoID], classes: [String]) {
    if !classes.isEmpty || !words.isEmpty, let found = try selection.idsToChange(in: dataset) {
      return (found, words + classes)
    }
    var photos: [PhotoID] = []
    var rest = words[...]
    while let word = rest.first, rest.count > (classes.isEmpty ? 1 : 0) {
      do {
        photos.append(try dataset.photoID(word, relativeTo: currentDirectory()))
      } catch {
        let canBeClass = !photos.isEmpty && classes.isEmpty
        guard canBeClass, error.kind == .notFound else { throw error }
        break
      }
      rest.removeFirst()
    }
    return (photos, classes + rest)
  }

  private func box(_ text: String) throws -> (x: Double, y: Double, width: Double, height: Double) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3]
    else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a region.",
        hint: "Give x,y,width,height, such as 0.1,0.2,0.5,0.4.")
    }
    return (x, y, width, height)
  }
}

private func printEdits(_ edits: [LabelResult], _ globals: GlobalOptions) {
  Console.print(
    globals,
    .array(
      edits.map {
        [
          "changed": .bool($0.changed), "label": $0.label.rendered,
          "photo": .string($0.label.photo.description),
        ]
      })
  ) {
    for edit in edits {
      let label = edit.label
      let said = "\(label.classKey) \(label.verdict.rawValue)"
      Console.print(
        edit.changed
          ? "\(label.photo.short) \(said), says \(label.annotator.identity)"
          : "\(label.photo.short) \(said): already labeled")
    }
  }
}

struct Unlabel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlabel",
    abstract: "Withdraw your labels of a class.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn unlabel 3fa9 oak
        cairn unlabel oak --find 'label:oak by:me said:2024-05-01' --yes
      """))

  @OptionGroup var target: PhotosAndClass
  @Option(
    name: .customLong("as"), help: ArgumentHelp("Label as this model.", valueName: "model@version"))
  var model: String?
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let (photos, name) = (try target.ids(in: dataset), target.className)
    if target.selection.isGiven, model == nil {
      try confirmation.require(dataset.verdictChanges(withdrawing: photos, name))
    }
    let edits = try dataset.unlabel(photos, name, annotator: try model.map(annotator(model:)))
    printEdits(edits, globals)
  }
}

struct Accept: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Confirm a model's predictions.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn accept 3fa9 "Scots pine"
        cairn accept oak --find 'label:oak state:predicted conf:0.95..'
      """))

  @OptionGroup var judgement: VerdictArguments

  func run() throws { try judgement.judge(isRight: true) }
}

struct Reject: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject",
    abstract: "Reject a model's predictions.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn reject 3fa9 "Scots pine"
        cairn reject oak --find 'label:oak state:predicted pin:harbour'
      """))

  @OptionGroup var judgement: VerdictArguments

  func run() throws { try judgement.judge(isRight: false) }
}

/// What a person judges: a class that models name on photos.
struct VerdictArguments: ParsableArguments {
  @OptionGroup var target: PhotosAndClass
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var globals: GlobalOptions

  func judge(isRight: Bool) throws {
    let dataset = try globals.dataset()
    let (photos, name) = (try target.ids(in: dataset), target.className)
    if target.selection.isGiven {
      try confirmation.require(dataset.verdictChanges(judging: photos, name, isRight: isRight))
    }
    printEdits(try dataset.judge(photos, name, isRight: isRight), globals)
  }
}
