import CairnBase
import Testing

/// In Swift, a quote or a comma with a joiner or an accent is another character; programs that read
/// the text compare scalars or bytes.
@Suite("Quoting")
struct QuotingTests {
  @Test(
    "quotes cells of CSV",
    arguments: [
      ("oak", "oak"), ("", ""), ("a b;c", "a b;c"), ("a,b", #""a,b""#),
      ("a\r\nb", "\"a\r\nb\""), (#""oak""#, #""""oak""""#), ("\"\u{200C}a", "\"\"\"\u{200C}a\""),
      ("a\"\u{301},b", "\"a\"\"\u{301},b\""), (",\u{200D}", "\",\u{200D}\""),
    ])
  func cells(text: String, cell: String) {
    #expect(csvRow([text, "x"]).unicodeScalars.elementsEqual((cell + ",x\r\n").unicodeScalars))
  }

  @Test(
    "quotes words of a shell",
    arguments: [
      ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("'\u{301}; x", "''\\''\u{301}; x'"),
      ("'\u{200D}'", "''\\''\u{200D}'\\'''"),
    ])
  func words(text: String, word: String) {
    #expect(shellQuoted(text).unicodeScalars.elementsEqual(word.unicodeScalars))
    #expect(shellArgument(text).unicodeScalars.elementsEqual(word.unicodeScalars))
  }
}
