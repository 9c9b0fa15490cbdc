import ArgumentParser
import Cairn

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
    try dataset.unlabel(photos, name, annotator: try model.map(annotator(model:))).print(globals)
  }
}
