import CairnBase
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test(
    "encodes all but the unreserved characters and those to keep",
    arguments: [
      ("AZaz09-._~", "", "AZaz09-._~"), ("a b/c,d", "", "a%20b%2Fc%2Cd"),
      ("a b/c,d", "/,", "a%20b/c,d"), ("é%\u{0}", "", "%C3%A9%25%00"), ("é", "é", "%C3%A9"),
      ("", "", ""),
    ])
  func encodes(text: String, kept: String, expected: String) {
    #expect(PercentEncoding.encoded(text, keeping: kept) == expected)
    #expect(expected.percentDecoded == text)
    #expect(PercentEncoding.decoded(expected) == text)
  }

  @Test(
    "leaves malformed escapes unchanged, or rejects them",
    arguments: ["%", "a%2", "%zz", "%+f", "%-1", "100% oak", "%%"])
  func malformed(text: String) {
    #expect(text.percentDecoded == text)
    #expect(PercentEncoding.decoded(text) == nil)
  }

  @Test("decodes digits of either case, once")
  func decodes() {
    #expect("%2f%2F%252F".percentDecoded == "//%2F")
    #expect("x%41%4"[...].percentDecoded == "xA%4")
  }

  @Test("replaces or rejects bytes that are not UTF-8")
  func notUTF8() {
    #expect("a%FF".percentDecoded == "a\u{FFFD}")
    #expect(PercentEncoding.decoded("a%FF") == nil)
  }
}
