import ArgumentParser
import Cairn

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Manage remotes.",
    subcommands: [RemoteAdd.self, RemoteList.self, RemoteImages.self, RemoteRemove.self])
}

struct RemoteAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a remote.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn remote add origin /media/usb/trees.git --create
        cairn remote add origin git@example.org:trees.git
        cairn remote add origin https://example.org/trees.git

      cairn uses the same ssh program, keys and settings as git, and git's credential helpers for passwords.
      """))

  @Argument(help: "Its name; `origin` is the default remote.") var name: String
  @Argument(help: "A path, ssh://you@host/path, you@host:path or https://host/path.")
  var url: String
  @Flag(help: "Create an empty repository there first.") var create = false
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
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote list"))

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
    commandName: "remove", abstract: "Remove a remote from this copy. Its data is not touched.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote remove origin"))

  @Argument(help: "Its name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeRemote(name)
    Console.print(globals, ["name": .string(name)]) { Console.print("Removed the remote \(name).") }
  }
}

struct TransferArguments: ParsableArguments {
  @Argument(help: "The remote (default: the only one, or origin).") var remote: String?
  @Option(help: "Which images to fetch: `all` or `none` (default: as cloned).")
  var images: TransferArguments.ImageMode?
  @Flag(help: "Same as --images none.") var noImages = false
  /// Of which photos alone the images come.
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Merge a dataset with an unrelated history.") var allowUnrelatedHistories = false

  enum ImageMode: String, ExpressibleByArgument, CaseIterable { case all, none }

  func validate() throws {
    if [images != nil, noImages, selection.isGiven].count(where: \.self) > 1 {
      throw ValidationError("Give one of --images, --no-images, and --find or --pin.")
    }
  }

  func options(_ bar: ProgressBar) -> TransferOptions {
    var options = bar.options
    options.images = noImages || selection.isGiven ? false : images.map { $0 == .all }
    options.allowUnrelatedHistories = allowUnrelatedHistories
    return options
  }

  /// Brings the images of the photos that were named, which may have come just now.
  func fetchSelected(_ dataset: Dataset, _ options: TransferOptions) throws -> ImageFetchReport? {
    guard let photos = try selection.ids(in: dataset) else { return nil }
    return try dataset.fetchImages(of: photos, from: remote, options: options)
  }
}

struct Pull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch from a remote and merge.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pull origin"))

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
    commandName: "push", abstract: "Push commits and images to a remote.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn push"))

  @Argument(help: "The remote (default: the only one, or origin).") var remote: String?
  @Flag(help: "Push commits without their images.") var noImages = false
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
    abstract: "Commit, pull and push; retry if someone else pushed first.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn sync -m \"The north slope\""))

  @OptionGroup var transfer: TransferArguments
  @Option(name: .shortAndLong, help: "The commit message (default: a summary of the changes).")
  var message: String?
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
    abstract: "Verify every document and image.",
    discussion: HelpText.paragraphs(
      """
      Exits with 1 if a problem is found. Stamps in the future are only warnings.

      With --with, compares the last commits of this copy and a remote instead, without transferring
      anything. Exits with 1 if they differ.

      EXAMPLES
        cairn verify
        cairn verify --with origin
      """))

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
    Console.print(globals, report.rendered) { report.print() }
    if !report.isSound { throw ExitCode(1) }
  }
}

extension VerifyReport {
  fileprivate var rendered: JSON {
    [
      "documents": JSON(documents),
      "findings": .array(
        findings.map { ["message": .string($0.message), "path": .string($0.path)] }),
      "images": JSON(images), "imagesElsewhere": JSON(imagesElsewhere),
      "warnings": .array(
        warnings.map {
          [
            "message": .string($0.message), "path": .string($0.path),
            "stamp": .string($0.stamp.description),
          ]
        }),
    ]
  }

  fileprivate func print() {
    for finding in findings {
      Console.print(
        "\(Style.red("bad")) \(Console.printable("\(finding.path): \(finding.message)"))")
    }
    for (_, warnings) in Dictionary(grouping: warnings, by: \.stamp.replica)
      .sorted(by: { $0.key < $1.key })
    {
      Console.print("\(Style.yellow("warning")) \(Console.printable(VerifyReport.line(warnings)))")
    }
    let elsewhere = imagesElsewhere > 0 ? " (\(imagesElsewhere) not on this disk)" : ""
    let parts = [
      findings.isEmpty ? "all sound" : count(findings.count, "finding"),
      warnings.isEmpty ? nil : count(warnings.count, "warning"),
    ].compactMap { $0 }
    Console.print(
      "\(documents) documents and \(images) images\(elsewhere) checked: "
        + parts.joined(separator: ", ") + ".")
  }

  /// Returns one line on documents with stamps of one device.
  private static func line(_ warnings: [Warning]) -> String {
    if warnings.count == 1 { return "\(warnings[0].path): \(warnings[0].message)" }
    let annotators = Set(warnings.compactMap { $0.annotator?.identity }).sorted()
    let who = annotators.isEmpty ? "" : " by \(annotators.joined(separator: ", "))"
    let replica = warnings[0].stamp.replica
    let latest = warnings.map(\.stamp).max()?.description.prefix(10) ?? ""
    return "\(warnings.count) documents\(who) have stamps in the future, up to \(latest): "
      + "the clock of the device \(replica) was fast (--json lists them)"
  }
}
