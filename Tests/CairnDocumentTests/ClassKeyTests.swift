import TestSupport
import Testing

@testable import CairnDocument

@Suite("Class keys")
struct ClassKeyTests {
  @Test(
    "computes the documented keys",
    arguments: [
      ("Cairn Terrier", "cairn-terrier"), ("cairn_terrier", "cairn-terrier"),
      ("Chêne", "chene-cb836f81"), ("柴犬", "0752b3b4"), ("C++", "c-cedb1bac"), ("C#", "c-951a4d36"),
      ("日本 cherry", "cherry-f788493e"), ("CON", "con-1143da2b"), ("ΟΔΟΣ", "15846f27"),
    ])
  func vectors(name: String, key: String) { #expect(ClassKey(naming: name)?.text == key) }

  @Test(
    "gives equivalent names the same key",
    arguments: [
      [
        "cairn terrier", " Cairn  Terrier\n", "CAIRN-TERRIER", "cairn__terrier", "-cairn_-terrier-",
        "cairn\u{A0}terrier",
      ],
      ["Chêne", "che\u{302}ne", "CHÊNE", " chêne "],
      ["K2", "\u{212A}2", "k2"],
    ])
  func oneKey(names: [String]) throws {
    let keys = try names.map { try #require(ClassKey(naming: $0)) }
    #expect(Set(keys).count == 1, "\(keys)")
  }

  @Test("gives names with the same slug different keys")
  func distinctKeys() throws {
    let names = [
      "Chene", "Chêne", "C", "C+", "C++", "C#", "con", "c o n", "柴犬", "秋田犬", "-", "_", "!",
    ]
    let keys = try names.map { try #require(ClassKey(naming: $0)) }
    #expect(Set(keys).count == names.count, "\(keys)")
  }

  @Test("creates only valid keys from random names", arguments: UInt64(0)..<64)
  func randomNames(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<20 {
      let name = (0..<random.below(8)).map { _ in
        random.pick([
          "con", "lpt1", "é", "ß", "İ", "ﬁ", "柴", "a", "-", "_", " ", "Ω", "🌲", "x.y", "0",
        ])
      }.joined()
      guard let key = ClassKey(naming: name) else {
        #expect(ClassKey.displayName(name) == nil)
        continue
      }
      #expect(ClassKey(key.text) == key, "\(name)")
      #expect(key.text.utf8.count <= 57)
    }
  }

  @Test("shortens long names to 48 bytes and a hash and rejects names over 256 bytes")
  func longNames() {
    let exact = String(repeating: "a", count: 48)
    #expect(ClassKey(naming: exact)?.text == exact)
    let long = ClassKey(naming: exact + "a")
    #expect(long?.text.hasPrefix(exact + "-") == true)
    #expect(long?.text.utf8.count == 57)
    #expect(ClassKey(naming: String(repeating: "a", count: 256)) != nil)
    #expect(ClassKey(naming: String(repeating: "a", count: 257)) == nil)
    #expect(ClassKey(naming: " " + String(repeating: "a", count: 256) + " ") != nil)
  }

  @Test(
    "rejects names that are blank or contain control characters",
    arguments: [
      "", "   ", "\u{3000}", "a\u{0}", "a\nb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b", "\u{7F}",
    ])
  func noNames(name: String) { #expect(ClassKey(naming: name) == nil) }

  @Test("trims white space around display names")
  func displayNames() {
    #expect(ClassKey.displayName(" \tCairn  Terrier\u{A0}") == "Cairn  Terrier")
    #expect(ClassKey.displayName("\u{301}a") == "\u{301}a")
  }

  @Test("accepts valid keys", arguments: ["a", "0", "a-b", "con-1", "com", "com10", "cons"])
  func validKeys(text: String) { #expect(ClassKey(text)?.text == text) }

  @Test(
    "rejects invalid keys",
    arguments: [
      "", "-", "-a", "a-", "a--b", "A", "a_b", "a b", "a.b", "a/b", "..", "é", "a~b", "a\u{301}",
      "ａ",
      "con", "prn", "aux", "nul", "com0", "com9", "lpt0", "lpt9", "\u{212A}",
    ])
  func invalidKeys(text: String) { #expect(ClassKey(text) == nil) }

  @Test("accepts keys of at most 64 bytes")
  func keyLength() {
    #expect(ClassKey(String(repeating: "a", count: 64)) != nil)
    #expect(ClassKey(String(repeating: "a", count: 65)) == nil)
  }

  @Test("folds text to letters, digits and inner hyphens")
  func folding() {
    #expect(Slug.fold("Éa ß ﬁ ①x", length: 48) == "ea-fi-1x")
    #expect(Slug.fold("a  -- b", length: 48) == "a-b")
    #expect(Slug.fold("..a..", length: 48) == "a")
    #expect(Slug.fold("abc-def", length: 4) == "abc")
    #expect(Slug.fold("abcdef", length: 4) == "abcd")
    #expect(Slug.fold("柴犬", length: 4) == "")
  }
}
