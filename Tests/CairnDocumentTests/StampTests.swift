import Foundation
import TestSupport
import Testing

@testable import CairnDocument

@Suite("Stamps")
struct StampTests {
  @Test("parses and formats the documented example")
  func vector() throws {
    let text = "2026-11-20T23:31:05.123Z-0003-7f3a9c21"
    let stamp = try #require(Stamp(text))
    #expect(stamp.milliseconds == 1_795_217_465_123)
    #expect(stamp.counter == 3)
    #expect(stamp.replica.rawValue == 0x7f3a_9c21)
    #expect(stamp.description == text)
  }

  @Test(
    "parses stamps up to the limits of the valid range",
    arguments: [
      ("0000-01-01T00:00:00.000Z-0000-00000000", -62_167_219_200_000),
      ("1969-12-31T23:59:59.999Z-ffff-ffffffff", -1), ("1970-01-01T00:00:00.000Z-0000-00000000", 0),
      ("2000-02-29T12:00:00.000Z-0000-00000001", 951_825_600_000),
      ("8999-12-31T23:59:59.999Z-ffff-ffffffff", 221_845_391_999_999),
    ] as [(String, Int64)])
  func ends(text: String, milliseconds: Int64) {
    #expect(Stamp(text)?.milliseconds == milliseconds)
    #expect(Stamp(text)?.description == text)
  }

  @Test("formats random stamps and parses them back", arguments: UInt64(0)..<32)
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<50 {
      let stamp = random.stamp()
      #expect(stamp.description.utf8.count == 38)
      #expect(Stamp(stamp.description) == stamp)
    }
  }

  @Test("sorts stamps and their texts in the same order", arguments: UInt64(100)..<132)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed)
    let stamps = (0..<24).map { _ in random.stamp() }
    for a in stamps {
      for b in stamps {
        let texts = (a.description.utf8, b.description.utf8)
        #expect((a < b) == texts.0.lexicographicallyPrecedes(texts.1), "\(a) \(b)")
        #expect((a == b) == (a.description == b.description))
      }
    }
  }

  @Test("orders stamps by time, then by counter, then by replica")
  func significance() throws {
    let texts = [
      "2026-11-20T23:31:05.123Z-0000-00000000", "2026-11-20T23:31:05.123Z-0000-ffffffff",
      "2026-11-20T23:31:05.123Z-0001-00000000", "2026-11-20T23:31:05.124Z-0000-00000000",
    ]
    let stamps = try texts.map { try #require(Stamp($0)) }
    #expect(stamps == stamps.shuffled().sorted())
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(
    "rejects malformed stamps",
    arguments: [
      "2026-02-30T00:00:00.000Z-0000-00000000", "2026-02-29T00:00:00.000Z-0000-00000000",
      "1900-02-29T00:00:00.000Z-0000-00000000", "2026-04-31T00:00:00.000Z-0000-00000000",
      "2026-00-10T00:00:00.000Z-0000-00000000", "2026-13-10T00:00:00.000Z-0000-00000000",
      "2026-01-00T00:00:00.000Z-0000-00000000", "2026-01-32T00:00:00.000Z-0000-00000000",
      "2026-01-01T24:00:00.000Z-0000-00000000", "2026-01-01T00:60:00.000Z-0000-00000000",
      "2026-12-31T23:59:60.000Z-0000-00000000", "9000-01-01T00:00:00.000Z-0000-00000000",
      "9999-12-31T23:59:59.999Z-0000-00000000", "2026-11-20T23:31:05.123Z-000A-00000000",
      "2026-11-20T23:31:05.123Z-0000-7F3A9C21", "2026-11-20t23:31:05.123z-0000-00000000",
      "2026-11-20 23:31:05.123Z-0000-00000000", "2026-11-20T23:31:05,123Z-0000-00000000",
      "2026-11-20T23:31:05.123+0000-00000000", "2026-11-20T23:31:05.12Z-0000-00000000",
      "2026-11-20T23:31:05.1234Z-0000-0000000", "2026-11-20T23:31:05.123Z-0000-0000000",
      "2026-11-20T23:31:05.123Z-0000-000000000", "2026-11-20T23:31:05.123Z_0000_00000000",
      "+026-11-20T23:31:05.123Z-0000-00000000", "-026-11-20T23:31:05.123Z-0000-00000000",
      "2026-11-20T23:31:05.123Z-+000-00000000", "２026-11-20T23:31:05.123Z-0000-00000",
      " 2026-11-20T23:31:05.123Z-0000-00000000", "2026-11-20T23:31:05.123Z", "",
    ])
  func refused(text: String) { #expect(Stamp(text) == nil) }

  @Test("accepts only days that exist in their month", arguments: [1900, 2000, 2023, 2024])
  func monthLengths(year: Int) {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for month in 0...13 {
      for day in 0...32 {
        let text = String(format: "%04d-%02d-%02dT00:00:00.000Z-0000-00000000", year, month, day)
        let exists = 1...12 ~= month && day >= 1 && day <= lengths[month - 1]
        #expect((Stamp(text) != nil) == exists, "\(text)")
      }
    }
  }
}
