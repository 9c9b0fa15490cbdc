/// Replaces the leading hyphen of arguments that are not options, so that ArgumentParser does not
/// parse them as options.
enum ArgumentEscaping {
  /// The minus sign: a person who types one means a hyphen too.
  private static let substitute = "\u{2212}"

  static func escaped(_ argument: String) -> String {
    argument.hasPrefix("-") ? substitute + argument.dropFirst() : argument
  }

  static func unescaped(_ argument: String) -> String {
    argument.hasPrefix(substitute) ? "-" + argument.dropFirst() : argument
  }

  /// Whether an argument of `cairn find` is a negated term, such as “-taken:2024”. The short
  /// options of the command have one letter and are never combined.
  static func isNegation(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.count > 2
  }
}
