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

  private static let invocation = GlobalArguments(Array(CommandLine.arguments.dropFirst()))

  private static let everything = CommandConfiguration(
    commandName: "cairn",
    abstract: "Git for labeled photos.",
    discussion: HelpText.paragraphs(
      """
      Label photos offline on any device and sync later. No label is ever lost.

      EXAMPLES
        cairn init field-trip                    start a dataset
        cairn photo add ~/Pictures/trip          add a folder of photos
        cairn label 3fa9 terrier --create        label photo 3fa9… with a new class
        cairn sync                               commit, pull and push

      PHOTO is a unique prefix of a photo's id (4 digits or more), or the path of its file.

      EXIT CODES
        0 done · 1 a check found something · 64 usage, or not confirmed · 65 bad data · 66 not found
        68 committed, and the remote not reachable (sync) · 69 remote not reachable
        70 internal · 73 exists already, or no space · 74 disk
        75 busy or behind, try again · 76 newer format, unsupported or unrelated
        77 permission, password, certificate, or a push refused · 78 no dataset, or no identity
      """),
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
      try CommandNames.check(invocation.rest, in: everything)
      var command = try parseAsRoot(invocation.rest)
      try command.run()
    } catch let error as CairnError {
      Console.fail(error, json: invocation.isJSON)
    } catch {
      guard exitCode(for: error).isSuccess else { exit(withError: error) }
      // A page of help, or the version.
      Console.write(HelpText.printed(fullMessage(for: error)) + "\n")
    }
  }
}

/// The words of a command line, with what ArgumentParser cannot take put aside.
struct GlobalArguments {
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
    words = GlobalArguments.americanSpelling(words[..<end]) + words[end...]
    // A southern latitude is a number, not an option.
    let takesPlaces = words.first == "pin" && ["add", "move"].contains(words.dropFirst().first)
    let takesQuery = words.first == "find"
    rest = words.map { word in
      let isNoOption =
        takesPlaces && Double(word) != nil || takesQuery && ArgumentEscaping.isNegation(word)
      return isNoOption ? ArgumentEscaping.hidden(word) : word
    }
  }
}

extension GlobalArguments {
  /// Accepts the British spelling of commands and options.
  private static func americanSpelling(_ words: ArraySlice<String>) -> ArraySlice<String> {
    let commands = ["labeller": "labeler", "favourite": "favorite"]
    var words = words
    for (index, word) in words.prefix(2).enumerated()
    where index == 0 || words.first == "help" {
      if let american = commands[word] { words[words.startIndex + index] = american }
    }
    for (british, american) in [("--licence", "--license"), ("--labeller", "--labeler")] {
      for (index, word) in zip(words.indices, words) {
        if word == british { words[index] = american }
        if word.hasPrefix(british + "=") {
          words[index] = american + word.dropFirst(british.count)
        }
      }
    }
    return words
  }
}

/// Options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customShort("C"), help: ArgumentHelp("Run as if started in DIR.", valueName: "dir"))
  var directory: String?

  @Flag(help: "Print JSON.")
  var json = false

  /// Goes where `-C` says.
  func enter() throws {
    if let directory, !changeDirectory(directory) {
      throw CairnError(.notFound, "There is no directory “\(directory)”.")
    }
  }

  /// The machine, and its terminal.
  static var environment: Environment {
    var environment = Environment.machine
    environment.report = { Console.note($0) }
    return environment
  }

  /// Opens the dataset of the current directory.
  func dataset() throws -> Dataset {
    try enter()
    let dataset = try Dataset(
      at: currentDirectory(), command: ownExecutable(), environment: GlobalOptions.environment)
    dataset.onWait = { holder in
      Console.note("waiting for \(holder ?? "another process") …")
    }
    dataset.onConfigure = {
      Console.note(
        "set up git in this clone: images go through Git LFS, documents merge with cairn")
    }
    let bar = ProgressBar()
    dataset.onProgress = { what, done, total in
      if done < total { bar.update(what, done, total) } else { bar.finish() }
    }
    dataset.onMaintenance = { report in
      if report.milliseconds > 1000 { Console.note(report.sentence) }
    }
    return dataset
  }
}
