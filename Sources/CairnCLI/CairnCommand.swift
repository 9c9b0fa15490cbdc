import ArgumentParser
import Cairn

@main
struct CairnCommand: ParsableCommand {
  /// The command that is asked for, else all of them: to look at the options of all takes longer than to
  /// put a label on a photo.
  static let configuration = {
    // What is made for shells and for other programs is about all commands, wherever it is asked for.
    guard let name = invocation.rest.first,
      !invocation.rest.contains(where: {
        $0.hasPrefix("--generate-") || $0.hasPrefix("--experimental-")
      }),
      let asked = everything.subcommands.first(where: { $0.configuration.commandName == name })
    else { return everything }
    var configuration = everything
    configuration.subcommands = [asked]
    return configuration
  }()

  private static let invocation = Invocation(Array(CommandLine.arguments.dropFirst()))

  private static let everything = CommandConfiguration(
    commandName: "cairn",
    abstract: "git for labelled photos.",
    discussion: """
      Label photos on any device, offline; sync when you can; nothing anybody said is lost.

      EXAMPLES
        cairn init field-trip                    start a dataset
        cairn photo add ~/Pictures/trip          add a folder of photos
        cairn label 3fa9 "Cairn terrier"         say what is on photo 3fa9…
        cairn sync                               commit, pull and push

      PHOTO is a unique prefix of a photo's id (4 digits or more) or the path of its file.

      EXIT CODES
        0 done · 1 a check found something · 64 usage · 65 bad data · 66 not found
        68 committed, and the remote not reachable (sync) · 69 remote not reachable
        70 internal · 73 exists already, or no space · 74 disk
        75 busy or behind, try again · 76 newer format, or unrelated
        77 permission, password, certificate, or a push refused · 78 no dataset, or no identity
      """,
    version: "0.1.0",
    subcommands: [LFS.self, MergeDriver.self, Textconv.self],
    groupedSubcommands: [
      CommandGroup(name: "Start", subcommands: [Init.self, Clone.self]),
      CommandGroup(
        name: "Places and photos",
        subcommands: [PinCommand.self, PhotoCommand.self, SourceCommand.self]),
      CommandGroup(
        name: "Labels",
        subcommands: [
          LabelCommand.self, Unlabel.self, Accept.self, Reject.self, Show.self, Why.self,
          Find.self, Categories.self, Favorite.self, Review.self,
        ]),
      CommandGroup(
        name: "Classes, models and rules",
        subcommands: [
          ClassCommand.self, LabelerCommand.self, Predict.self, RunCommand.self, PolicyCommand.self,
          SplitCommand.self,
        ]),
      CommandGroup(
        name: "Trust", subcommands: [AgreementCommand.self, Evaluate.self, ReportCommand.self]),
      CommandGroup(
        name: "History",
        subcommands: [Status.self, CommitCommand.self, Log.self, Diff.self, Checkout.self]),
      CommandGroup(
        name: "Exchange",
        subcommands: [
          RemoteCommand.self, Pull.self, Push.self, Sync.self, ImagesCommand.self, Verify.self,
          GarbageCollect.self,
          ImportCommand.self, ExportCommand.self,
        ]),
    ])

  static func main() {
    if let directory = invocation.directory, !changeDirectory(directory) {
      Console.fail(
        CairnError(.notFound, "There is no directory “\(directory)”."), json: invocation.isJSON)
    }
    do {
      var command = try parseAsRoot(invocation.rest)
      try command.run()
    } catch let error as CairnError {
      Console.fail(error, json: invocation.isJSON)
    } catch {
      exit(withError: error)
    }
  }
}

/// The words of a command line, with what ArgumentParser cannot take put aside.
struct Invocation {
  /// The directory of a `-C` before the command, as git has it.
  private(set) var directory: String?
  let isJSON: Bool
  let rest: [String]

  init(_ words: [String]) {
    var words = words[...]
    var isJSONFirst = false
    while let first = words.first {
      if first == "-C", words.count > 1 {
        directory = words[words.startIndex + 1]
        words = words.dropFirst(2)
      } else if first == "--json" {
        isJSONFirst = true
        words = words.dropFirst()
      } else {
        break
      }
    }
    let end = words.firstIndex(of: "--") ?? words.endIndex
    isJSON = isJSONFirst || words[..<end].contains("--json")
    if isJSONFirst { words.insert("--json", at: end) }
    // A southern latitude is a number, not an option.
    let takesPlaces = words.first == "pin" && ["add", "move"].contains(words.dropFirst().first)
    let takesQuery = words.first == "find"
    rest = words.map { word in
      let isNoOption =
        takesPlaces && Double(word) != nil || takesQuery && Hyphen.isNegation(word)
      return isNoOption ? Hyphen.hidden(word) : word
    }
  }
}

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customShort("C"), help: ArgumentHelp("Run as if started in DIR.", valueName: "dir"))
  var directory: String?

  @Flag(help: "Print one JSON value.")
  var json = false

  /// Goes where `-C` says.
  func enter() throws {
    if let directory, !changeDirectory(directory) {
      throw CairnError(.notFound, "There is no directory “\(directory)”.")
    }
  }

  /// Opens the dataset of the current directory.
  func dataset() throws -> Dataset {
    try enter()
    let dataset = try Dataset(at: currentDirectory(), command: ownExecutable())
    dataset.onWait = { holder in
      Console.note("waiting for \(holder ?? "another process") …")
    }
    let bar = ProgressBar()
    dataset.onProgress = { what, done, total in
      if done < total { bar.update(what, done, total) } else { bar.finish() }
    }
    dataset.onUpkeep = { report in
      if report.milliseconds > 1000 { Console.note(report.sentence) }
    }
    return dataset
  }
}
