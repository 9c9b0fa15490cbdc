import ArgumentParser
import Cairn
import SystemPackage

struct LFSAgent: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lfs-agent", abstract: "Transfer images for git-lfs, which runs this command.",
    discussion: HelpText.paragraphs(
      """
      Lets people who use git and git-lfs reach every kind of image store: sftp, S3 buckets and
      directories.

      EXAMPLES
        cairn lfs-agent --clone URL     print the command that clones a dataset with git
        cairn lfs-agent --install       configure an existing clone; then: git lfs pull
      """), shouldDisplay: false)

  @Flag(help: "Configure git-lfs in this clone to use it.") var install = false
  @Option(help: ArgumentHelp("Print the command that clones this with git.", valueName: "url"))
  var clone: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  /// The settings that make git-lfs run this program. Source: git-lfs-config(5).
  private static let settings = [
    "lfs.standalonetransferagent=cairn", "lfs.customtransfer.cairn.path=cairn",
    "lfs.customtransfer.cairn.args=lfs-agent",
  ]

  func run() throws {
    if let clone {
      let options = LFSAgent.settings.map { "-c \($0)" }.joined(separator: " ")
      Console.print("git clone \(options) '\(clone)'")
    } else if install {
      try GitCommands.configureTransferAgent(in: currentDirectory(), program: ownExecutable())
      quiet.print("git-lfs uses cairn here. Next: git lfs pull")
    } else {
      try GitCommands.transferAgent(in: currentDirectory(), .standardInput, .standardOutput)
    }
  }
}
