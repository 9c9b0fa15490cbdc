import ArgumentParser
import Cairn

/// A word that completes the one that is being typed.
struct Candidate: Equatable {
  let text: String
  var detail = ""
}

/// What is expected where the cursor is in a command line.
enum CompletionTarget: Equatable {
  /// One of these words.
  case words([Candidate])
  /// A value; `prefix` comes before it in the word, as in `--pin=`.
  case value(ValueKind, prefix: String)
}

/// The command line before the cursor, read with the command's own description of its arguments.
struct CommandLineCompletion {
  /// The last `-C DIR`.
  private(set) var directory: String?
  private(set) var target = CompletionTarget.words([])

  /// - Parameter words: The words after `cairn`; the last one is being typed.
  init(_ words: [String]) { read(words) }

  private mutating func read(_ words: [String]) {
    var words = words[...]
    let typed = words.popLast() ?? ""
    while let first = words.first, first == "-C" || first == "--json" {
      words.removeFirst()
      guard first == "-C" else { continue }
      guard let path = words.popFirst() else { return target = .value(.directory, prefix: "") }
      directory = path
    }
    let isHelp = words.first == "help"
    if isHelp { words.removeFirst() }
    var command: any ParsableCommand.Type = CairnCommand.self
    var path: [String] = []
    var subcommands = CairnCommand.everything.subcommands
    while !subcommands.isEmpty {
      guard let name = words.popFirst() else {
        return target = Self.names(subcommands, typed, isRoot: path.isEmpty)
      }
      guard let next = subcommands.first(where: { $0.names.contains(name) }) else { return }
      path.append(next.names[0])
      (command, subcommands) = (next, next.configuration.subcommands)
    }
    if isHelp { return }
    readArguments(Array(words), typed, CommandArguments(command, path: path))
  }

  private static func names(
    _ subcommands: [any ParsableCommand.Type], _ typed: String, isRoot: Bool
  ) -> CompletionTarget {
    let options = ["-C", "--json", "--help", "--version"].map { Candidate(text: $0) }
    if typed.hasPrefix("-") { return .words(isRoot ? options : []) }
    let help = isRoot ? [Candidate(text: "help", detail: "Show a help page.")] : []
    return .words(
      subcommands.filter { $0.configuration.shouldDisplay }
        .map { Candidate(text: $0.names[0], detail: $0.configuration.abstract) } + help)
  }

  private mutating func readArguments(
    _ words: [String], _ typed: String, _ arguments: CommandArguments
  ) {
    var (positionals, given, isPastOptions) = (0, Set<String>(), false)
    var pending: CommandArguments.Argument?
    for word in words {
      if let option = pending {
        if option.names.contains("-C") { directory = word }
        pending = nil
      } else if !isPastOptions, word == "--" {
        isPastOptions = true
      } else if !isPastOptions, let option = arguments.option(named: word) {
        given = given.union(option.names)
        if option.takesValue { pending = option }
      } else if isPastOptions || !word.hasPrefix("-") || arguments.takesQuery {
        positionals += 1
      }
    }
    if let pending { return target = .value(pending.kind, prefix: "") }
    if !isPastOptions, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "="),
      let option = arguments.option(named: String(typed[..<equals])), option.takesValue
    {
      return target = .value(option.kind, prefix: String(typed[...equals]))
    }
    let isNegation = arguments.takesQuery && !typed.hasPrefix("--") && typed.count > 1
    if !isPastOptions, typed.hasPrefix("-"), !isNegation {
      return target = .words(arguments.options(except: given))
    }
    target = .value(arguments.kind(ofPositional: positionals, given: given), prefix: "")
  }
}
