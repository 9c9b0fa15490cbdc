import ArgumentParser
import Cairn

struct Push: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Push commits and images to a remote.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn push"))

  @Argument(help: "The remote (default: the only one, or origin).") var remote: String?
  @Flag(help: "Push commits without their images.") var noImages = false
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var options = TransferOptions()
    options.sendsImages = !noImages
    let report = try globals.dataset(quiet).push(remote, options: options)
    Console.print(globals, report.rendered) { report.print(quiet) }
  }
}
