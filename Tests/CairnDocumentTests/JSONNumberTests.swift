import CairnDocument
import TestSupport
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
  @Test(
    "writes doubles as in appendix B of RFC 8785",
    arguments: [
      (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
      (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
      (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
      (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
      (0x4340_0000_0000_0000, "9007199254740992"), (0xc340_0000_0000_0000, "-9007199254740992"),
      (0x4430_0000_0000_0000, "295147905179352830000"),
      (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"), (0x44b5_2d02_c7e1_4af6, "1e+23"),
      (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
      (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
      (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
      (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
      (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
      (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
      (0x41b3_de43_5555_5557, "333333333.33333343"),
      (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
      (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] as [(UInt64, String)])
  func appendixB(bits: UInt64, text: String) throws {
    let value = Double(bitPattern: bits)
    #expect(JSONNumber(value).text == text)
    #expect(try JSON(bytes: text.utf8).double == value)
  }

  @Test(
    "converts a literal to the canonical spelling of its value",
    arguments: [
      ("333333333.33333329", "333333333.3333333"), ("1e21", "1e+21"),
      ("1e20", "100000000000000000000"), ("1e-6", "0.000001"), ("1e-7", "1e-7"),
      ("5e-324", "5e-324"), ("4.9E-324", "5e-324"), ("-0", "0"), ("-0.0", "0"), ("-0e5", "0"),
      ("1.0", "1"), ("1.10", "1.1"), ("0.1e1", "1"), ("123e-2", "1.23"), ("12.5e3", "12500"),
      ("0.00001", "0.00001"), ("1E400000000000000000000", nil), ("1e-400", "0"),
      ("123456789012345680000.0", "123456789012345680000"),
      ("999999999999999.9", "999999999999999.9"),
      ("1000000000000000.0", "1000000000000000"), ("4503599627370495.5", "4503599627370495.5"),
    ] as [(String, String?)])
  func literals(literal: String, text: String?) {
    #expect((try? JSON(bytes: literal.utf8))?.canonicalText == text.map { $0 + "\n" })
  }

  @Test(
    "keeps all digits of an integer",
    arguments: [
      "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
      "18446744073709551615", "123456789012345678901234567890",
      "1" + String(repeating: "0", count: 400),
    ])
  func integers(text: String) throws {
    let value = try JSON(bytes: text.utf8)
    #expect(value.canonicalText == text + "\n")
    #expect(value.int == Int(text))
  }

  @Test(
    "writes random doubles with the fewest digits that read back exactly",
    arguments: UInt64(0)..<32)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    for _ in 0..<100 {
      let value = random.double()
      let text = JSONNumber(value).text
      #expect(Double(text) == value, "\(text)")
      #expect(JSONNumber(text == "0" ? 0 : value).text == text)
      #expect(try JSON(bytes: text.utf8).canonicalText == text + "\n")
      // Swift's own description has the fewest digits, too.
      func digits(_ text: String) -> String {
        let mantissa = text.prefix { $0 != "e" }.filter(\.isWholeNumber)
        let significant = mantissa.drop { $0 == "0" }
        return String(significant.reversed().drop { $0 == "0" }.reversed())
      }
      #expect(digits(text) == digits(value.description))
    }
  }
}
