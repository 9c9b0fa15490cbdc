import ArgumentParser
import Cairn

/// The arguments of a command, from the description that ArgumentParser makes for other programs.
struct CommandArguments {
  struct Argument {
    /// The names with their hyphens; empty for a positional argument.
    let names: [String]
    let takesValue: Bool
    let isRepeating: Bool
    let kind: ValueKind
    let abstract: String
  }

  private var options: [Argument] = []
  private var positionals: [Argument] = []

  init(_ command: any ParsableCommand.Type, path: [String]) {
    guard let description = try? JSON(bytes: command._dumpHelp().utf8) else { return }
    for argument in description["command"]?["arguments"]?.array ?? []
    where argument["shouldDisplay"]?.bool ?? true {
      let names = (argument["names"]?.array ?? []).compactMap { name -> String? in
        guard let text = name["name"]?.string else { return nil }
        return (name["kind"]?.string == "long" ? "--" : "-") + text
      }
      let values = (argument["allValues"]?.array ?? []).compactMap(\.string)
      let valueName = argument["valueName"]?.string ?? ""
      let read = Argument(
        names: names, takesValue: argument["kind"]?.string != "flag",
        isRepeating: argument["isRepeating"]?.bool ?? false,
        kind: ValueKind(
          valueName: valueName, option: names.last { $0.hasPrefix("--") }, values: values,
          path: path),
        abstract: argument["abstract"]?.string ?? "")
      if names.isEmpty { positionals.append(read) } else { options.append(read) }
    }
  }

  /// Whether the arguments are the terms of a query, some of which begin with a hyphen.
  var takesQuery: Bool { positionals.last?.kind == .query }

  func option(named name: String) -> Argument? { options.first { $0.names.contains(name) } }

  /// Returns the long names of the options, or their short names if they have no other.
  func options(except given: Set<String>) -> [Candidate] {
    options.filter { $0.isRepeating || given.isDisjoint(with: $0.names) }.map { option in
      Candidate(
        text: option.names.last { $0.hasPrefix("--") } ?? option.names[0], detail: option.abstract)
    }
  }

  /// Returns the kind of a positional argument; the last one may be repeated.
  ///
  /// - Parameter given: The names of the options before it.
  func kind(ofPositional index: Int, given: Set<String>) -> ValueKind {
    guard index < positionals.count || positionals.last?.isRepeating ?? false,
      let argument = positionals.dropFirst(index).first ?? positionals.last
    else { return .none }
    guard argument.kind == .photosAndClasses else { return argument.kind }
    if !given.isDisjoint(with: ["--find", "--pin"]) { return .class }
    return index == 0 || given.contains("--class") ? .file : .photosAndClasses
  }
}
