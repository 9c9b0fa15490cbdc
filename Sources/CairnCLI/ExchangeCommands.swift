import ArgumentParser
import Cairn

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Other copies to exchange with.",
    subcommands: [RemoteAdd.self, RemoteList.self, RemoteImages.self, RemoteRemove.self])
}

struct RemoteAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Remember another copy under a name.",
    discussion: """
      EXAMPLES
        cairn remote add origin /media/usb/trees.git --create
        cairn remote add origin git@example.org:trees.git
        cairn remote add origin https://example.org/trees.git

      ssh is the one that git would use, with its keys and settings; passwords come from git's
      credential helpers.
      """)

  @Argument(help: "What to call it; `origin` is the usual one.") var name: String
  @Argument(help: "A path, ssh://you@host/path, you@host:path or https://host/path.")
  var url: String
  @Flag(help: "Make an empty repository there first.") var create = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    try dataset.addRemote(name, url, creating: create, relativeTo: currentDirectory())
    let address = try dataset.remotes().first { $0.name == name }?.address ?? url
    Console.print(globals, ["name": .string(name), "url": .string(address)]) {
      Console.print("Added the remote \(name): \(address)")
    }
  }
}

struct RemoteList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the remotes.",
    discussion: "EXAMPLE\n  cairn remote list")

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let remotes = try globals.dataset().remotes()
    Console.print(
      globals,
      .array(remotes.map { ["name": .string($0.name), "url": .string($0.address)] })
    ) {
      if remotes.isEmpty { return Console.print("No remotes yet: cairn remote add NAME PATH.") }
      Console.table(remotes.map { [$0.name, $0.address] }).forEach { Console.print($0) }
    }
  }
}

struct RemoteRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Forget a remote; what it holds stays.",
    discussion: "EXAMPLE\n  cairn remote remove origin")

  @Argument(help: "Its name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeRemote(name)
    Console.print(globals, ["name": .string(name)]) { Console.print("Removed the remote \(name).") }
  }
}

struct TransferArguments: ParsableArguments {
  @Argument(help: "The remote; else the usual one.") var remote: String?
  @Option(help: "Which images come: `all` or `none`; else as the copy was made.")
  var images: TransferArguments.ImageWish?
  @Flag(help: "The same as --images none.") var noImages = false
  /// Of which photos alone the images come.
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Join a dataset that was started apart from this one.") var joinUnrelated = false

  enum ImageWish: String, ExpressibleByArgument, CaseIterable { case all, none }

  func validate() throws {
    if [images != nil, noImages, selection.isGiven].count(where: \.self) > 1 {
      throw ValidationError("Give one of --images, --no-images, and --find or --pin.")
    }
  }

  func options(_ bar: ProgressBar) -> TransferOptions {
    var options = bar.options
    options.images = noImages || selection.isGiven ? false : images.map { $0 == .all }
    options.joinUnrelated = joinUnrelated
    return options
  }

  /// Brings the images of the photos that were named, which may have come just now.
  func fetchSelected(_ dataset: Dataset, _ options: TransferOptions) throws -> ImageArrival? {
    guard let photos = try selection.ids(in: dataset) else { return nil }
    return try dataset.fetchImages(of: photos, from: remote, options: options)
  }
}

struct Pull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Bring what a remote has and join it with what is here.",
    discussion: "EXAMPLE\n  cairn pull origin")

  @OptionGroup var transfer: TransferArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(globals)
    let dataset = try globals.dataset()
    let options = transfer.options(bar)
    var report = try dataset.pull(transfer.remote, options: options)
    if let selected = try transfer.fetchSelected(dataset, options) { report.images = selected }
    let news = try dataset.news(of: report)
    let concluded = try report.repairs.concluded.map { try dataset.news(of: $0) }
    bar.finish()
    Console.print(globals, report.rendered(news, concluded: concluded)) {
      report.print(news, concluded: concluded)
    }
    try report.images.endIfFailed(globals)
  }
}

struct Push: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Send what a remote lacks.",
    discussion: "EXAMPLE\n  cairn push")

  @Argument(help: "The remote; else the usual one.") var remote: String?
  @Flag(help: "Push the commits without the images they name.") var noImages = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(globals)
    var options = bar.options
    options.sendsImages = !noImages
    let report = try globals.dataset().push(remote, options: options)
    bar.finish()
    Console.print(globals, report.rendered) { report.print() }
  }
}

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Commit, pull and push, and again if somebody else was first.",
    discussion: "EXAMPLE\n  cairn sync -m \"The north slope\"")

  @OptionGroup var transfer: TransferArguments
  @Option(name: .shortAndLong, help: "What was done; else a summary of the changes.") var message:
    String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(globals)
    let dataset = try globals.dataset()
    let options = transfer.options(bar)
    var report = try dataset.sync(transfer.remote, message: message, options: options)
    if report.unreachable == nil, !report.pulls.isEmpty,
      let selected = try transfer.fetchSelected(dataset, options)
    {
      report.pulls[report.pulls.count - 1].images = selected
    }
    let pulls = try report.pulls.map { ($0, try dataset.news(of: $0)) }
    let unreachable = report.unreachable.map { CairnError($0) }
    let concluded = try report.committed.repairs.concluded.map { try dataset.news(of: $0) }
    bar.finish()
    Console.print(
      globals,
      [
        "commit": JSON((report.push?.commit ?? report.committed.commit)?.description),
        "committed": report.committed.rendered(concluded),
        "pulls": .array(pulls.map { $0.rendered($1, concluded: nil) }),
        "push": report.push?.rendered ?? .null, "unreachable": JSON(unreachable?.message),
      ]
    ) {
      report.committed.print(concluded)
      for (pull, news) in pulls { pull.print(news, concluded: nil) }
      report.push?.print()
    }
    if let unreachable {
      Console.note(Console.printable(unreachable.message))
      Console.hint("What is committed here goes with the next `cairn sync`.")
      throw ExitCode(CairnError.Kind.offline.exitCode)
    }
    for pull in report.pulls { try pull.images.endIfFailed(globals) }
    if !report.committed.problems.isEmpty { throw ExitCode(1) }
  }
}

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every document and every image.",
    discussion: """
      With --with, says instead whether the last commits here and at a remote hold the same dataset;
      nothing is moved. Exits with 1 when something is found.

      EXAMPLES
        cairn verify
        cairn verify --with origin
      """)

  @Option(
    name: .customLong("with"), help: ArgumentHelp("Compare with a remote.", valueName: "remote"))
  var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    if let remote {
      let (equal, here, there) = try dataset.isEqual(toRemote: remote)
      Console.print(
        globals, ["equal": .bool(equal), "here": .string(here), "there": .string(there)]
      ) {
        Console.print(
          equal
            ? "Equal: both have the tree \(here.prefix(10))."
            : "Different: \(here.prefix(10)) here, \(there.prefix(10)) at \(remote).")
      }
      if !equal { throw ExitCode(1) }
      return
    }
    let bar = ProgressBar()
    let report = try dataset.verify { bar.update("checking", $0, $1) }
    bar.finish()
    Console.print(
      globals,
      [
        "documents": JSON(report.documents),
        "findings": .array(
          report.findings.map { ["message": .string($0.message), "path": .string($0.path)] }),
        "images": JSON(report.images), "imagesElsewhere": JSON(report.imagesElsewhere),
      ]
    ) {
      for finding in report.findings {
        Console.print(
          "\(Style.red("bad")) \(Console.printable("\(finding.path): \(finding.message)"))")
      }
      let elsewhere =
        report.imagesElsewhere > 0 ? " (\(report.imagesElsewhere) not on this disk)" : ""
      Console.print(
        "\(report.documents) documents and \(report.images) images\(elsewhere) checked: "
          + (report.isSound ? "all sound." : "\(count(report.findings.count, "finding"))."))
    }
    if !report.isSound { throw ExitCode(1) }
  }
}
