import CairnBase
import Testing

@Suite("Hexadecimal digits")
struct HexTests {
  @Test("writes every byte as two digits and reads it back")
  func bytes() {
    let all = (0...255).map { UInt8($0) }
    let text = Hex.text(all)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
    #expect(Hex.bytes(text.utf8) == all)
    #expect(Hex.bytes("".utf8) == [])
  }

  @Test(
    "rejects text that is not pairs of digits",
    arguments: ["0", "0g", "+f", "-1", " 1", "0x", "00 1", "é0"])
  func refused(text: String) {
    #expect(Hex.bytes(text.utf8, allowingUpperCase: true) == nil)
  }

  @Test("reads upper-case digits only when they are allowed")
  func upperCase() {
    #expect(Hex.bytes("fF".utf8) == nil)
    #expect(Hex.bytes("fF".utf8, allowingUpperCase: true) == [0xFF])
    #expect(Hex.number("7F3A".utf8) == nil)
    #expect(Hex.number("7F3A".utf8, allowingUpperCase: true) == 0x7F3A)
  }

  @Test("writes numbers with leading zeros and reads them back")
  func numbers() {
    for number in [0, 1, 0xFF, 0x7f3a_9c21, .max] as [UInt64] {
      #expect(Hex.number(Hex.text(number, digits: 16).utf8) == number)
      #expect(Hex.text(number, digits: 16) == Hex.text((0..<8).map { number.byte($0) }))
    }
    #expect(Hex.text(0x1A, digits: 4) == "001a")
    #expect(Hex.text(0x12345, digits: 4) == "2345")
    #expect(Hex.number("".utf8) == nil)
    #expect(Hex.number(String(repeating: "0", count: 17).utf8) == nil)
  }
}

extension UInt64 {
  /// Returns a byte, counted from the most significant.
  fileprivate func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: self >> (56 - 8 * index))
  }
}
