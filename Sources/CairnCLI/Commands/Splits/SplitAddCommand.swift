import ArgumentParser
import Cairn

struct SplitAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Record a split in the dataset, for everyone.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn split add field train=80,val=10,test=10 --by pin
        cairn split add second-fold train=80,test=20 --salt 2
      """))

  @Argument(help: "The split's name: letters, digits and hyphens.") var name: String
  @Argument(help: "Subsets with their shares: train=80,val=10,test=10.") var shares: String
  @Option(
    help: ArgumentHelp(
      "What determines a photo's subset; pin keeps the photos of a pin together.",
      valueName: "what"))
  var by = SplitBasis.photo
  @Option(help: "A salt for the hash: a different salt gives a different split.") var salt = ""
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let split = try readSplit(shares, by: by, salt: salt)
    let isNew = try globals.dataset(dryRun).addSplit(name, split)
    var rendered = split.rendered(name).object ?? [:]
    rendered["added"] = .bool(isNew)
    if dryRun.isOn {
      let start = isNew ? "Would record" : "Already recorded:"
      return Console.printDryRun(globals, rendered, ["\(start) \(split.line(name))."])
    }
    Console.printChange(globals, .object(rendered)) {
      Console.print((isNew ? "Recorded " : "Already recorded: ") + split.line(name) + ".")
    }
  }
}
