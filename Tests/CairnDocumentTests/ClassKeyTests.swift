import Testing

@testable import CairnDocument

@Suite("class keys")
struct ClassKeyTests {
  @Test(
    "keys are those of the format's page",
    arguments: [
      ("Cairn Terrier", "cairn-terrier"), ("cairn_terrier", "cairn-terrier"),
      ("Chêne", "chene-cb836f81"), ("柴犬", "0752b3b4"), ("C++", "c-cedb1bac"), ("C#", "c-951a4d36"),
      ("日本 cherry", "cherry-f788493e"), ("CON", "con-1143da2b"), ("ΟΔΟΣ", "15846f27"),
    ])
  func vectors(name: String, key: String) { #expect(ClassKey(naming: name)?.text == key) }

  @Test(
    "names that are read as one have one key",
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

  @Test("names that differ in what a slug loses have keys of their own")
  func distinctKeys() throws {
    let names = [
      "Chene", "Chêne", "C", "C+", "C++", "C#", "con", "c o n", "柴犬", "秋田犬", "-", "_", "!",
    ]
    let keys = try names.map { try #require(ClassKey(naming: $0)) }
    #expect(Set(keys).count == names.count, "\(keys)")
  }

  @Test("every key that is coined is a key that is read", arguments: UInt64(0)..<64)
  func coinedIsValid(seed: UInt64) {
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

  @Test("long names keep 48 bytes and a hash")
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
    "what shows nothing, or controls, is no name",
    arguments: [
      "", "   ", "\u{3000}", "a\u{0}", "a\nb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b", "\u{7F}",
    ])
  func noNames(name: String) { #expect(ClassKey(naming: name) == nil) }

  @Test("a name is shown without the white space around it")
  func displayNames() {
    #expect(ClassKey.displayName(" \tCairn  Terrier\u{A0}") == "Cairn  Terrier")
    #expect(ClassKey.displayName("\u{301}a") == "\u{301}a")
  }

  @Test(
    "keys as documents hold them", arguments: ["a", "0", "a-b", "con-1", "com", "com10", "cons"])
  func validKeys(text: String) { #expect(ClassKey(text)?.text == text) }

  @Test(
    "other keys are refused",
    arguments: [
      "", "-", "-a", "a-", "a--b", "A", "a_b", "a b", "a.b", "a/b", "..", "é", "a~b", "a\u{301}",
      "ａ",
      "con", "prn", "aux", "nul", "com0", "com9", "lpt0", "lpt9", "\u{212A}",
    ])
  func invalidKeys(text: String) { #expect(ClassKey(text) == nil) }

  @Test("a key has at most 64 bytes")
  func keyLength() {
    #expect(ClassKey(String(repeating: "a", count: 64)) != nil)
    #expect(ClassKey(String(repeating: "a", count: 65)) == nil)
  }

  @Test("folding keeps letters and digits, and no hyphen at an end")
  func folding() {
    #expect(Slug.fold("Éa ß ﬁ ①x", length: 48) == "ea-fi-1x")
    #expect(Slug.fold("a  -- b", length: 48) == "a-b")
    #expect(Slug.fold("..a..", length: 48) == "a")
    #expect(Slug.fold("abc-def", length: 4) == "abc")
    #expect(Slug.fold("abcdef", length: 4) == "abcd")
    #expect(Slug.fold("柴犬", length: 4) == "")
  }
}
