import CairnDocument
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
  private func refusalOf(_ text: String) -> DocumentError? {
    refusal { () throws(DocumentError) in try JSON(bytes: text.utf8) }
  }

  private static let valid: [(String, JSON)] = [
    ("null", .null), (" true\n", true), ("\t false \r\n", false),
    ("0", 0), ("-0", 0), ("-1", -1), ("0.5", 0.5), ("-0.0", 0), ("0e9", 0), ("1E2", 100),
    ("1e+2", 100), ("25e-1", 2.5), ("1.50", 1.5), ("100", 100),
    (#""""#, ""), (#""a\/b""#, "a/b"), (#""\b\f\n\r\t\"\\""#, "\u{8}\u{C}\n\r\t\"\\"),
    (#""\u0041\u00e9\u00E9""#, "Aéé"), (#""\u0000""#, "\0"), (#""\ud83C\uDF32""#, "🌲"),
    (#""\uffff""#, "\u{FFFF}"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    (#""\\u0041""#, #"\u0041"#),
    ("[]", []), ("[ ]", []), ("[1,[],{}]", [1, [], [:]]), ("{ }", [:]),
    (#"{"b":1,"a":2}"#, ["a": 2, "b": 1]), (#"{"":null}"#, ["": .null]),
  ]

  @Test("reads valid texts", arguments: valid.indices)
  func reads(index: Int) throws {
    let (text, value) = JSONReaderTests.valid[index]
    #expect(try JSON(bytes: text.utf8) == value, "\(text)")
  }

  @Test(
    "rejects texts that RFC 8259 does not allow",
    arguments: [
      "", " ", "nul", "nulll", "True", "tru", "NaN", "Infinity", "-Infinity", "undefined",
      "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e2", "1e", "1e+", "1E-", "0x10", "1_000",
      "1e1.5", "--1", "1 2", "１", "1e400", "-1e400",
      #"""#, #"""""#, #""a"#, #""\"#, #""\""#, #""\x41""#, #""\'""#, "'a'", #""\U0041""#,
      #""\u""#, #""\u12""#, #""\u12g4""#, #""\u 123""#, "\"\n\"", "\"\t\"", "\"\u{0}\"",
      "\"\u{1F}\"", "\"\\\n\"",
      #""\ud83c""#, #""\udf32""#, #""\ud83c\u0041""#, #""\ud83c\ud83c""#, #""\udf32\ud83c""#,
      #""\ud83cx""#, #""\ud83c\n""#, #""\ud83c\udf3""#,
      "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1;2]", "{", "}", "{,}",
      #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{a:1}"#, "{1:1}", #"{"a":1 "b":2}"#,
      #"{"a":1;"b":2}"#, #"{"a":1]"#, "[1}", #"{null:1}"#,
      "null null", "{}x", "[] ]", "1,", "/* a */ 1", "1 // a", "\u{FEFF}1", "\u{A0}1", "1\u{0}",
      "\u{B}1", "\u{C}1",
    ])
  func refuses(text: String) throws {
    let error = try #require(refusalOf(text))
    #expect(error.kind == .syntax)
  }

  @Test(
    "rejects invalid UTF-8 in strings and keys",
    arguments: [
      [0xFF], [0xC3], [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xE2, 0x82], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func refusesBadUTF8(bytes: [UInt8]) {
    let quote = [UInt8(ascii: "\"")]
    let string = quote + bytes + quote
    #expect(refusal { () throws(DocumentError) in try JSON(bytes: string) }?.kind == .syntax)
    // Strings with escapes take another code path.
    let escaped = quote + Array(#"\n"#.utf8) + bytes + quote
    #expect(refusal { () throws(DocumentError) in try JSON(bytes: escaped) }?.kind == .syntax)
    let key = Array("{".utf8) + string + Array(":1}".utf8)
    #expect(refusal { () throws(DocumentError) in try JSON(bytes: key) }?.kind == .syntax)
  }

  @Test(
    "rejects a duplicate key in any spelling and at any level",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"b":1,"a":2,"b":3}"#, #"{"a":1,"\u0061":2}"#,
      #"[{"x":{"":1,"":2}}]"#,
    ])
  func duplicates(text: String) throws {
    let error = try #require(refusalOf(text))
    #expect(error.kind == .syntax)
    #expect(error.message.contains("duplicated"))
  }

  @Test("distinguishes keys that are canonically equivalent")
  func equivalentKeys() throws {
    let value = try JSON(bytes: "{\"e\u{301}\":1,\"\u{E9}\":2}".utf8)
    #expect(value["e\u{301}"] == 1)
    #expect(value["\u{E9}"] == 2)
    #expect(value["e"] == nil)
    #expect(JSON.string("e\u{301}") != JSON.string("\u{E9}"))
  }

  @Test("reads 32 levels of arrays and objects and rejects 33")
  func depth() {
    func nested(_ levels: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: levels - 1) + "[]"
        + String(repeating: close, count: levels - 1)
    }
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      #expect(refusalOf(nested(32, open, close)) == nil)
      #expect(refusalOf(nested(33, open, close))?.kind == .tooLarge)
      // Far deeper than any stack: it must be refused, not crash.
      #expect(refusalOf(nested(150_000, open, close))?.kind == .tooLarge)
    }
    #expect(refusalOf("[{\"a\":[{\"a\":" + nested(28, "[", "]") + "}]}]") == nil)
    #expect(refusalOf("[{\"a\":[{\"a\":" + nested(29, "[", "]") + "}]}]")?.kind == .tooLarge)
  }

  @Test("reads a document of 1 MiB and rejects one byte more")
  func size() {
    func text(_ bytes: Int) -> String { "\"" + String(repeating: "a", count: bytes - 2) + "\"" }
    #expect(refusalOf(text(1 << 20)) == nil)
    #expect(refusalOf(text(1 << 20 + 1))?.kind == .tooLarge)
    #expect(refusalOf("1" + String(repeating: " ", count: 1 << 20))?.kind == .tooLarge)
  }

  @Test("reads 60,000 keys in reverse order and finds a duplicate among them")
  func manyKeys() throws {
    let keys = (0..<60_000).reversed().map { "\"\(100_000 + $0)\":0" }
    let value = try JSON(bytes: ("{" + keys.joined(separator: ",") + "}").utf8)
    #expect(value.object?.members.count == 60_000)
    #expect(value.object?.members.first?.key == "100000")
    let twice = "{" + (keys + [keys[30_000]]).joined(separator: ",") + "}"
    #expect(refusalOf(twice)?.message.contains("duplicated") == true)
  }

  @Test("reports the line of an error")
  func lines() {
    #expect(refusalOf("{\n\"a\": 1,\n\"b\": x\n}")?.line == 3)
    #expect(refusalOf("{\n\"a\": 1,\n\"a\": 2\n}")?.line == 3)
    #expect(refusalOf("{\n\"b\": 1,\n\"c\": 1,\n\"b\": 2,\n\"d\": 2\n}")?.line == 4)
    #expect(refusalOf("{\n\"a\": 1\n}\n\nx")?.line == 5)
    #expect(refusalOf("[\n\n\"\\q\"]")?.line == 3)
    #expect(refusalOf("x")?.description == "line 1: unexpected character")
  }

  @Test(
    "reports conflict markers with the line of the first one",
    arguments: [
      ("<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> b\n", 1),
      ("{\n  \"a\": 1,\n<<<<<<< ours\n  \"b\": 1\n=======\n  \"b\": 2\n>>>>>>> theirs\n}\n", 3),
      ("{\r\n  \"a\":\r\n<<<<<<< ours\r\n1\r\n=======\r\n2\r\n>>>>>>> theirs\r\n}\r\n", 3),
      ("{\n  \"a\": 1\n<<<<<<< o\n=======\n  ,\"b\": 2\n>>>>>>> t\n}\n", 3),
      ("{\n  \"a\": 1\n}\n>>>>>>> theirs\n", 4),
      ("{\n  \"a\": 1\n=======\n}\n", 3),
      ("[\n1,\n<<<<<<< ours\n2\n||||||| base\n3\n=======\n4\n>>>>>>> theirs\n]", 3),
    ])
  func conflictMarkers(text: String, line: Int) throws {
    let error = try #require(refusalOf(text))
    #expect(error.kind == .conflictMarkers)
    #expect(error.line == line)
  }

  @Test("ignores conflict markers inside strings, after spaces and with too few signs")
  func noConflictMarkers() throws {
    #expect(try JSON(bytes: #"["<<<<<<< HEAD"]"#.utf8) == ["<<<<<<< HEAD"])
    #expect(refusalOf("{\n<<<<<< HEAD\n}")?.kind == .syntax)
    #expect(refusalOf("{\n <<<<<<< HEAD\n}")?.kind == .syntax)
  }

  @Test("distinguishes a null member from a missing one")
  func nullIsNotMissing() throws {
    let value = try JSON(bytes: #"{"a":null}"#.utf8)
    #expect(value["a"]?.isNull == true)
    #expect(value["b"] == nil)
    #expect(JSON(String?.none) == .null)
  }
}
