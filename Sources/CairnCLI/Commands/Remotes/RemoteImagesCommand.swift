import ArgumentParser
import Cairn

struct RemoteImages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images", abstract: "Show or set the image URL of a remote, for everyone.",
    discussion: HelpText.paragraphs(
      """
      By default, images are stored where git-lfs stores them: in the repository's directory, or on
      the remote's Git LFS server. The image URL is committed to the dataset, in .lfsconfig.

      EXAMPLES
        cairn remote images origin                                show the image URL
        cairn remote images origin https://lfs.example.org/trees
        cairn remote images origin s3://bucket/trees?region=eu-west-1
        cairn remote images origin sftp://you@example.org/srv/trees
        cairn remote images origin /mnt/nas/trees                 not readable by git-lfs
        cairn remote images origin none                           no images there: push only labels
        cairn remote images origin default
      """))

  @Argument(help: "The remote.") var name: String
  @Argument(help: "A URL, `none`, or `default` for the remote's own image store.") var url: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    _ = try dataset.remote(name)
    if let url {
      try dataset.setImageURL(
        ofRemote: name, url == "default" ? nil : url, relativeTo: currentDirectory())
    }
    let address = try dataset.imageURL(ofRemote: name)
    Console.print(globals, ["images": JSON(address), "name": .string(name)]) {
      if quiet.isOn, url != nil { return }
      switch address {
      case nil: Console.print("Images of \(name) are stored by the remote itself.")
      case "none":
        Console.print("\(name) stores no images: only labels and other documents are pushed there.")
      case let address?:
        Console.print("Images of \(name) are stored at \(Console.printable(address)).")
        if url != nil {
          Console.print("`cairn images push` uploads the images of earlier pushes there.")
          if !address.hasPrefix("http") {
            Console.print("git-lfs needs cairn to reach them: `cairn help lfs-agent`.")
          }
        }
      }
    }
  }
}
