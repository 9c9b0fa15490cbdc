/// The words of a command line that is being typed in bash, which knows scalars: a quotation mark also
/// counts where an accent follows it.
struct ShellLine: Equatable {
  /// The words without quotes and escapes; the last one is being typed, and may be empty.
  private(set) var words: [String] = [""]
  /// The quotation mark that is open where the line ends.
  private(set) var quote: Unicode.Scalar?
  /// The number of scalars at the start of the last word that bash does not replace: it ends a
  /// word at some characters of `COMP_WORDBREAKS`.
  private(set) var kept = 0

  /// Reads the last command of a line, up to the cursor.
  ///
  /// Source: POSIX.1-2017, “Shell Command Language”, section 2.2, “Quoting”.
  init(_ line: String, wordBreaks: String = ":=") {
    var isEscaped = false
    var isBetween = true
    for letter in line.unicodeScalars {
      if isEscaped {
        isEscaped = false
        append(letter)
      } else if letter == "\\", quote != "'" {
        (isEscaped, isBetween) = (true, false)
      } else if let quote {
        if letter == quote { self.quote = nil } else { append(letter) }
      } else if letter == "'" || letter == "\"" {
        (quote, isBetween) = (letter, false)
        kept = words[words.count - 1].unicodeScalars.count
      } else if letter == " " || letter == "\t" {
        if !isBetween { words.append("") }
        (isBetween, kept) = (true, 0)
      } else if ";|&".unicodeScalars.contains(letter) {
        (words, isBetween, kept) = ([""], true, 0)
      } else {
        isBetween = false
        append(letter)
        if wordBreaks.unicodeScalars.contains(letter) {
          kept = words[words.count - 1].unicodeScalars.count
        }
      }
    }
  }

  private mutating func append(_ letter: Unicode.Scalar) {
    words[words.count - 1].unicodeScalars.append(letter)
  }

  /// Returns the part of a word that bash replaces.
  func replacement(of word: String) -> String.UnicodeScalarView.SubSequence {
    word.unicodeScalars.dropFirst(kept)
  }

  /// Returns the part of a word that bash inserts, escaped so that it expands nothing: names come
  /// from other people.
  func insertion(of word: String) -> String {
    replacement(of: word).map { letter in
      switch (quote, letter) {
      case ("'", "'"): #"'\''"#
      case ("\"", "!"): #""\!""#
      case ("\"", "\\"), ("\"", "\""), ("\"", "$"), ("\"", "`"): "\\\(letter)"
      case (nil, _) where ShellLine.isSpecial(letter): "\\\(letter)"
      default: String(letter)
      }
    }.joined()
  }

  private static func isSpecial(_ letter: Unicode.Scalar) -> Bool {
    if !letter.isASCII { return letter.properties.isWhitespace }
    return !letter.properties.isAlphabetic
      && !"0123456789@%+=:,./-_~".unicodeScalars.contains(letter)
  }
}
