import ArgumentParser

struct ClassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "class", abstract: "Manage classes.",
    discussion: HelpText.paragraphs(
      """
      CLASS is the display name, the original name, an alias or the key of a class.

      EXAMPLE
        cairn class list
      """),
    subcommands: [
      ClassList.self, ClassRename.self, ClassMerge.self, ClassAlias.self, ClassSplit.self,
      ClassSet.self, ClassRemove.self, ClassRestore.self, ClassImport.self,
    ])
}
