import ArgumentParser

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Manage model runs, which can be withdrawn as a whole.",
    discussion: HelpText.paragraphs(
      """
      RUN is a unique prefix of a run's id (4 digits or more).

      EXAMPLES
        cairn run start resnet50@2026-01 --parameter size=224
        cairn label 3fa9 dog --run 41d8 --confidence 0.93
      """),
    subcommands: [
      RunStart.self, RunList.self, RunShow.self, RunWithdraw.self, RunRestore.self,
    ])
}
