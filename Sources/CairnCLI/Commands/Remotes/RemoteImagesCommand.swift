import ArgumentParser
import Cairn

struct RemoteImages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images", abstract: "Show or set the image URL of a remote, for everyone.",
    discussion: HelpText.paragraphs(
      """
      By default, images are stored where git-lfs stores them: in the repository's directory, or on
      the remote's Git LFS server. The image URL is committed to the dataset, in .lfsconfig.

      With --key-file, images are encrypted on this computer, in the format of the program age. A key
      file that does not exist is created. Keep it outside the dataset, and back it up: without it,
      nobody can read the images. In another copy of the dataset, use the option without a URL to
      name the key file.

      EXAMPLES
        cairn remote images origin                                show the image URL
        cairn remote images origin https://lfs.example.org/trees
        cairn remote images origin "s3://bucket/trees?region=eu-west-1"
        cairn remote images origin sftp://you@example.org/srv/trees
        cairn remote images origin davs://cloud.example.org/trees WebDAV, such as Nextcloud
        cairn remote images origin rclone:drive:trees             a remote of rclone's configuration
        cairn remote images origin /mnt/nas/trees                 a directory on a network share
        cairn remote images origin none                           no images there: push only commits
        cairn remote images origin default
        cairn remote images origin s3://bucket/trees --key-file ~/trees.key
        cairn remote images origin --key-file ~/trees.key         in another copy
      """))

  @Argument(help: "The remote.") var name: String
  @Argument(help: "A URL, `none`, or `default` for the remote's own image store.") var url: String?
  @Option(
    help: ArgumentHelp("Encrypt the images with the key in FILE.", valueName: "file"))
  var keyFile: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    if keyFile != nil, url == "default" || url == "none" {
      throw ValidationError("--key-file needs the URL of an image store.")
    }
    let dataset = try globals.dataset()
    _ = try dataset.remote(name)
    var isNewKey = false
    if let url {
      isNewKey = try dataset.setImageURL(
        ofRemote: name, url == "default" ? nil : url, relativeTo: currentDirectory(),
        key: keyFile.map { FilePath($0) })
    } else if let keyFile {
      try dataset.setImageKey(ofRemote: name, FilePath(keyFile), relativeTo: currentDirectory())
    }
    let address = try dataset.imageURL(ofRemote: name)
    Console.print(
      globals, ["images": JSON(address), "keyCreated": .bool(isNewKey), "name": .string(name)]
    ) {
      if globals.quiet, url != nil { return }
      switch address {
      case nil: Console.print("Images of \(name) are stored by the remote itself.")
      case "none":
        Console.print("\(name) stores no images: only labels and other documents are pushed there.")
      case let address?:
        Console.print("Images of \(name) are stored at \(Console.printable(address)).")
        if isNewKey, let keyFile {
          Console.print(
            "Created the key file \(Console.printable(keyFile)). Back it up: without it, nobody "
              + "can read the images.")
        }
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
