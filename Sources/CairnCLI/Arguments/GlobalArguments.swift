/// The arguments of a command line, prepared for ArgumentParser: options before the command are
/// taken out, and negative numbers and negated terms are escaped.
struct GlobalArguments {
  /// The directory of a `-C` before the command, as in git.
  private(set) var directory: String?
  let isJSON: Bool
  /// Whether long output may be shown in a pager.
  let mayPage: Bool
  let rest: [String]

  /// Flags that may also be before the command.
  private static let flags = ["--json", "--no-pager", "-q", "--quiet"]

  init(_ arguments: [String]) {
    var arguments = arguments[...]
    var first: [String] = []
    while let argument = arguments.first {
      if argument == "-C", arguments.count > 1 {
        directory = arguments[arguments.startIndex + 1]
        arguments = arguments.dropFirst(2)
      } else if GlobalArguments.flags.contains(argument) {
        first.append(argument)
        arguments = arguments.dropFirst()
      } else {
        break
      }
    }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let options = first + arguments[..<end]
    (isJSON, mayPage) = (options.contains("--json"), !options.contains("--no-pager"))
    for flag in ["--json", "-q", "--quiet"] where first.contains(flag) {
      arguments.insert(flag, at: end)
    }
    arguments = GlobalArguments.americanSpelling(arguments[..<end]) + arguments[end...]
    // A southern latitude is a number, not an option.
    let takesCoordinates =
      arguments.first == "pin" && ["add", "move"].contains(arguments.dropFirst().first)
    let takesQuery = arguments.first == "find" || arguments.prefix(2) == ["photo", "list"]
    rest = arguments.map { argument in
      let isValue =
        takesCoordinates && Double(argument) != nil
        || takesQuery && ArgumentEscaping.isNegation(argument)
      return isValue ? ArgumentEscaping.escaped(argument) : argument
    }
  }
}

extension GlobalArguments {
  /// Returns the arguments from the command on.
  static func command(of arguments: ArraySlice<String>) -> ArraySlice<String> {
    var arguments = arguments
    while let first = arguments.first, first == "-C" || flags.contains(first) {
      arguments = arguments.dropFirst(first == "-C" ? 2 : 1)
    }
    return arguments
  }

  /// The shell of ArgumentParser's option `--generate-completion-script`, whose scripts would
  /// complete neither files nor names of the dataset.
  var completionShell: CompletionShell? {
    guard let option = rest.firstIndex(of: "--generate-completion-script") else { return nil }
    return rest.dropFirst(option + 1).first.flatMap(CompletionShell.init(rawValue:))
  }

  /// Returns the arguments with British spellings of commands and options replaced.
  private static func americanSpelling(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
    var arguments = arguments
    for index in arguments.indices.prefix(arguments.first == "help" ? 2 : 1) {
      switch arguments[index] {
      case "labeller": arguments[index] = "labeler"
      case "favourite": arguments[index] = "favorite"
      default: break
      }
    }
    for (british, american) in [("--licence", "--license"), ("--labeller", "--labeler")] {
      for (index, argument) in zip(arguments.indices, arguments) {
        if argument == british { arguments[index] = american }
        if argument.hasPrefix(british + "=") {
          arguments[index] = american + argument.dropFirst(british.count)
        }
      }
    }
    return arguments
  }
}
