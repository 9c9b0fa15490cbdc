import ArgumentParser

struct ClassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "class", abstract: "Manage classes.",
    discussion: HelpText.paragraphs(
      """
      CLASS is a class's display name, original name, alias or key.

      EXAMPLE
        cairn class list
      """),
    subcommands: [
      ClassList.self, ClassRename.self, ClassMerge.self, ClassAlias.self, ClassSplit.self,
      ClassSet.self, ClassImport.self,
    ])
}
