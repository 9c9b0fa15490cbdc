/// The hyphen that a word begins with, where it makes no option of it: another sign stands for it while
/// ArgumentParser looks at the words.
enum ArgumentEscaping {
  /// The minus sign, so that whoever types one means it.
  private static let substitute = "\u{2212}"

  static func hidden(_ word: String) -> String {
    word.hasPrefix("-") ? substitute + word.dropFirst() : word
  }

  static func restored(_ word: String) -> String {
    word.hasPrefix(substitute) ? "-" + word.dropFirst() : word
  }

  /// Whether a word of `cairn find` takes something away, such as “-taken:2024”: options of one letter
  /// stand alone there.
  static func isNegation(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2
  }
}
