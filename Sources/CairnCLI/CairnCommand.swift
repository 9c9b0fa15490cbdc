import ArgumentParser
import Cairn
import Synchronization

@main
struct CairnCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    isParsing.load(ordering: .relaxed) ? quickConfiguration : requestedConfiguration
  }

  /// The configuration with only the requested command, if one is named: ArgumentParser takes
  /// longer to inspect the options of all commands than cairn takes to label a photo.
  private static let requestedConfiguration =
    requested.map {
      CommandConfiguration(commandName: "cairn", version: CairnVersion.text, subcommands: [$0])
    } ?? everything

  /// The same, without ArgumentParser's own completion options, which take a fifth of the start:
  /// it does not look for them in a command with a superior one.
  private static let quickConfiguration = {
    var configuration = requestedConfiguration
    if requested != nil { configuration._superCommandName = "" }
    return configuration
  }()

  private static let isParsing = Atomic(false)

  /// The command that is named first; nil if all commands are needed.
  private static let requested: (any ParsableCommand.Type)? = {
    // Completion scripts and machine-readable help describe all commands, wherever the option is.
    guard let name = invocation.rest.first,
      !invocation.rest.contains(where: {
        $0.hasPrefix("--generate-") || $0.hasPrefix("--experimental-")
      })
    else { return nil }
    let lists = [hiddenCommands] + groups.map(\.commands)
    return lists.lazy.compactMap { $0.first { $0.key == name }?.value() }.first
  }()

  static let invocation = GlobalArguments(Array(CommandLine.arguments.dropFirst()))

  /// The configuration with all commands.
  static let everything = CommandConfiguration(
    commandName: "cairn",
    abstract: "Git for labeled photos.",
    discussion: HelpText.paragraphs(
      """
      Label photos offline on any device and sync later. No person's label is ever lost.

      EXAMPLES
        cairn init field-trip                    start a dataset
        cairn photo add ~/Pictures/trip          add a folder of photos
        cairn label 3fa9 terrier --create        label photo 3fa9… with a new class
        cairn sync                               commit, pull and push

      PHOTO is a unique prefix of a photo's id (4 digits or more), the path of its file, or the name
      that the file had when it was added.

      EXIT CODES
          0  success
          1  a check found a problem
         64  usage error, or not confirmed
         65  invalid data or value, or some photos failed
         66  not found
         68  committed, but the remote is unreachable (sync)
         69  the remote is unreachable
         70  internal error
         73  already exists, or no space is left
         74  disk error
         75  busy, or the remote has newer commits: try again
         76  newer format, unsupported or unrelated repository
         77  access denied, untrusted server, or push refused
         78  no dataset, or no name and email address
        130  interrupted with Ctrl-C
      """),
    version: CairnVersion.text,
    subcommands: hiddenCommands.map { $0.value() },
    groupedSubcommands: groups.map { group in
      CommandGroup(name: group.name, subcommands: group.commands.map { $0.value() })
    })

  static func main() {
    if let directory = invocation.directory, !changeDirectory(directory) {
      Console.fail(
        CairnError(.notFound, "There is no directory “\(directory)”."), json: invocation.isJSON)
    }
    if let shell = invocation.completionShell { return Console.write(shell.script) }
    if invocation.rest == ["--version"] { return Console.write(CairnVersion.text + "\n") }
    do {
      try CommandNames.check(invocation.rest, in: requestedConfiguration)
      var command = try parsed()
      if invocation.mayPage, isTerminal(1), command is any PagedCommand { Pager.enable() }
      try command.run()
      Console.clearProgress()
    } catch let error as CairnError {
      Console.fail(error, json: invocation.isJSON)
    } catch {
      Console.clearProgress()
      guard exitCode(for: error).isSuccess else { exit(withError: error) }
      // A help page, or the version.
      let text = HelpText.printed(fullMessage(for: error)) + "\n"
      if text.contains("\n\n"), invocation.mayPage { Pager.enable() }
      Console.write(text)
    }
  }

  private static func parsed() throws -> any ParsableCommand {
    // A command is parsed faster alone. For its help pages and errors, it is parsed again below the
    // root command, whose options they name, too.
    if let requested, requested.configuration._superCommandName != nil,
      let command = try? requested.parseAsRoot(Array(invocation.rest.dropFirst())),
      type(of: command) == requested
    {
      return command
    }
    isParsing.store(true, ordering: .relaxed)
    defer { isParsing.store(false, ordering: .relaxed) }
    return try parseAsRoot(invocation.rest)
  }
}
