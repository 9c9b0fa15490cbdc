import ArgumentParser
import Cairn
import CairnBase

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the health of this copy, and show how to fix what is wrong.",
    discussion: HelpText.paragraphs(
      """
      Checks your identity, git and git-lfs, the copy's git configuration, lock files, shallow and
      partial clones, the index, missing images, disk space, and whether each remote can be reached.
      It changes nothing, asks nothing, and waits for at most ten seconds for each remote. Exits
      with 1 if there is a problem; warnings do not count. `cairn verify` checks the documents and
      images themselves.

      EXAMPLES
        cairn doctor
        cairn doctor --offline --json
      """))

  @Flag(help: "Do not contact the remotes.") var offline = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let bar = ProgressBar(globals)
    let report = HealthReport.check(
      currentDirectory(), command: ownExecutable(), contactsRemotes: !offline,
      onProgress: bar.update)
    Console.print(globals, report.rendered(globals)) { report.print(globals) }
    if !report.isHealthy { throw ExitCode(1) }
  }
}

extension HealthReport {
  fileprivate func rendered(_ globals: GlobalOptions) -> JSON {
    [
      "findings": .array(
        findings.map {
          [
            "check": .string($0.check.rawValue), "fix": JSON($0.command(globals)),
            "hint": JSON($0.hint),
            "level": .string($0.level.rawValue), "message": .string($0.message),
          ]
        }),
      "healthy": .bool(isHealthy),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    let shown = globals.quiet ? findings.filter { $0.level != .good } : findings
    let rows = shown.map { [$0.level.rawValue, $0.check.rawValue, $0.message] }
    for (finding, line) in zip(shown, Console.table(rows)) {
      let level = finding.level.rawValue
      Console.print(finding.style(level) + line.dropFirst(level.count))
      if let hint = finding.hint { Console.print("         \(Console.printable(hint))") }
      if let fix = finding.command(globals), finding.hint == nil {
        Console.print("         fix: \(Style.bold(Console.printable(fix)))")
      }
    }
    let counts = [Level.problem, .warning].compactMap { level -> String? in
      let number = findings.count { $0.level == level }
      return number == 0 ? nil : count(number, level.rawValue)
    }
    globals.print(counts.isEmpty ? "Everything is in order." : counts.joined(separator: ", ") + ".")
  }
}

extension HealthReport.Finding {
  /// Returns the command that fixes it, for the directory that the command line names.
  fileprivate func command(_ globals: GlobalOptions) -> String? {
    guard let fix, let directory = globals.directory ?? CairnCommand.invocation.directory else {
      return self.fix
    }
    return fix.split(separator: " && ").map { command in
      for program in ["cairn", "git"] where command.hasPrefix(program + " ") {
        return "\(program) -C \(shellArgument(directory))\(command.dropFirst(program.count))"
      }
      return String(command)
    }.joined(separator: " && ")
  }

  fileprivate func style(_ text: String) -> String {
    switch level {
    case .good: Style.green(text)
    case .warning: Style.yellow(text)
    case .problem: Style.red(text)
    }
  }
}
