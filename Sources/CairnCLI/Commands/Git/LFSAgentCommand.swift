import ArgumentParser
import Cairn
import SystemPackage

struct LFSAgent: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lfs-agent",
    abstract: "Let git-lfs transfer images through cairn, for every image store.",
    discussion: HelpText.paragraphs(
      """
      On its own, git-lfs reaches only Git LFS servers and the remote's own directory. With cairn as
      its transfer agent, people who work with git reach every kind of image store. Without options,
      this command transfers images for git-lfs, which runs it.

      EXAMPLES
        cairn lfs-agent --clone URL    print the command that clones a dataset with git
        cairn lfs-agent --install      configure an existing clone; then: git lfs pull
      """))

  @Flag(help: "Make git-lfs use cairn in this clone.") var install = false
  @Option(
    help: ArgumentHelp(
      "Print the git command that clones the repository at this URL.", valueName: "url"))
  var clone: String?
  @OptionGroup var globals: GlobalOptions

  /// The settings that make git-lfs run this program. Source: git-lfs-config(5).
  private static let settings = [
    "lfs.standalonetransferagent=cairn", "lfs.customtransfer.cairn.path=cairn",
    "lfs.customtransfer.cairn.args=lfs-agent",
  ]

  func run() throws {
    if let clone {
      let options = LFSAgent.settings.map { "-c \($0)" }.joined(separator: " ")
      let command = "git clone \(options) '\(clone)'"
      Console.print(globals, ["command": .string(command)]) { Console.print(command) }
    } else if install {
      try GitCommands.configureTransferAgent(in: currentDirectory(), program: ownExecutable())
      Console.printChange(globals, ["installed": true]) {
        Console.print("git-lfs uses cairn in this clone. Next: git lfs pull")
      }
    } else {
      try GitCommands.transferAgent(in: currentDirectory(), .standardInput, .standardOutput)
    }
  }
}
