import CairnTerminal
import Testing

@Suite("Key decoder")
struct KeyDecoderTests {
  static let cases: [(bytes: String, keys: [Key])] = [
    ("a", [.text("a")]), ("é", [.text("é")]), ("犬", [.text("犬")]), ("🐶", [.text("🐶")]),
    ("e\u{301}", [.text("e"), .text("\u{301}")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]),
    ("\u{8}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{15}", [.control("u")]),
    ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.right]), ("\u{1B}[D", [.left]),
    ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[3~", [.delete]),
    ("\u{1B}[Z", [.backTab]), ("\u{1B}[200~", [.unknown]), ("\u{1B}[<0;1;2M", [.unknown]),
    ("\u{1B}a", [.unknown]), ("\u{1B}[Ay", [.up, .text("y")]),
    ("a\u{1B}[Bé\t", [.text("a"), .down, .text("é"), .tab]),
  ]

  @Test("decodes the same keys wherever the bytes are cut", arguments: cases)
  func split(bytes: String, keys: [Key]) {
    let all = Array(bytes.utf8)
    for first in 0...all.count {
      for second in first...all.count {
        var decoder = KeyDecoder()
        var found: [Key] = []
        for piece in [all[..<first], all[first..<second], all[second...]] {
          found += decoder.feed(piece)
        }
        #expect(found == keys, "cut at \(first) and \(second)")
        #expect(!decoder.isPending)
      }
    }
  }

  @Test("decodes an escape that nothing follows as the Escape key")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.isPending)
    #expect(decoder.flush() == [.escape])
    #expect(!decoder.isPending)
    #expect(decoder.feed([0x1B, 0x1B]) == [.escape])
    #expect(decoder.feed([0x5B, 0x41]) == [.up])
  }

  @Test(
    "replaces invalid UTF-8 and decodes what follows",
    arguments: [
      ([0xFF, 0x61], [.text("\u{FFFD}"), .text("a")]),
      ([0xC3, 0x61], [.text("\u{FFFD}"), .text("a")]),
      ([0xE7, 0x8A, 0x1B, 0x5B, 0x41], [.text("\u{FFFD}"), .up]),
      ([0xC0, 0x80], [.text("\u{FFFD}"), .text("\u{FFFD}")]),
      ([0xED, 0xA0, 0x80, 0x62], [.text("\u{FFFD}"), .text("b")]),
      ([0xF5, 0x62], [.text("\u{FFFD}"), .text("b")]),
    ] as [([UInt8], [Key])])
  func invalid(bytes: [UInt8], keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(bytes) == keys)
  }

  @Test("drops an endless sequence")
  func endless() {
    var decoder = KeyDecoder()
    let sequence = [0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 5000)
    #expect(decoder.feed(sequence) == [.unknown])
    #expect(decoder.feed([0x71]) == [.text("q")])
  }

  @Test("keeps no bytes pending after a flush", arguments: UInt8.min...UInt8.max)
  func silence(first: UInt8) {
    for second in UInt8.min...UInt8.max {
      var decoder = KeyDecoder()
      let keys = decoder.feed([first, second]) + decoder.flush()
      #expect(!keys.isEmpty && !decoder.isPending, "\(first) \(second)")
    }
  }
}
