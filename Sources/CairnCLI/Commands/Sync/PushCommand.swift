import ArgumentParser
import Cairn

struct Push: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Push commits and images to a remote.",
    discussion: HelpText.paragraphs("EXAMPLES\n  cairn push\n  cairn push backup"))

  @Argument(help: RemoteOption.help) var remote: String?
  @Flag(help: "Push commits without their images.") var noImages = false
  @OptionGroup var bandwidth: BandwidthOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var options = TransferOptions()
    options.sendsImages = !noImages
    let dataset = try globals.dataset()
    try bandwidth.apply(to: dataset)
    let report = try dataset.push(remote, options: options)
    Console.print(globals, report.rendered) { report.print(globals) }
  }
}
