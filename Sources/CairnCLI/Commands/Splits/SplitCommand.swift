import ArgumentParser

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Manage train, validation and test splits.",
    discussion: HelpText.paragraphs(
      """
      A photo's subset is computed from a hash of its id, or of its pin's id, so it stays the same
      when photos are added, in every export and on every device. A recorded split is shared with
      everyone, under a name that `cairn export --split` accepts. It cannot be changed, since others
      may have trained with it.

      EXAMPLES
        cairn split add field train=80,val=10,test=10 --by pin
        cairn export yolo ../for-training --split field
      """),
    subcommands: [SplitAdd.self, SplitList.self, SplitRemove.self])
}
