import ArgumentParser
import Cairn

struct ClassSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Make classes mutually exclusive (an exclusive set).",
    discussion: HelpText.paragraphs(
      """
      Labeling a photo with one class of an exclusive set implies that the others are absent. The
      set “none” removes classes from their set.

      EXAMPLES
        cairn class set breed beagle terrier poodle
        cairn class set none poodle
      """))

  @Argument(help: "The name of the set, such as “breed”, or “none”.") var set: String
  @Argument(help: "The classes.") var classes: [String]
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = set == "none" ? nil : ClassKey(naming: set)
    if key == nil, set != "none" {
      throw CairnError(
        .invalidInput, "“\(set)” cannot be the name of a set.", hint: "For example: `breed`.")
    }
    let keys = try classes.map { try dataset.classKey($0) }
    let edits = try keys.map { try dataset.setClassSet($0, key) }
    let rendered = JSON.array(
      edits.map {
        [
          "changed": .bool($0.changed), "key": .string($0.labelClass.key.text),
          "set": JSON($0.labelClass.set?.value?.text),
        ]
      })
    let state = key.map { "in the set “\($0)”" } ?? "in no set"
    if dryRun.isOn {
      let lines = edits.map { edit in
        let key = edit.labelClass.key
        return edit.changed ? "\(key) would be \(state)." : "\(key) is already \(state)."
      }
      return Console.printDryRun(globals, ["classes": rendered], lines)
    }
    Console.printChange(globals, rendered) {
      for edit in edits {
        Console.print("\(edit.labelClass.key) is \(edit.changed ? "now" : "already") \(state).")
      }
    }
  }
}
