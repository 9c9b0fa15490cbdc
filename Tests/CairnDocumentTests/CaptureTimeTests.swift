import CairnDocument
import Testing

@Suite("Capture times")
struct CaptureTimeTests {
  @Test(
    "keeps a capture time unchanged and reads its UTC offset if it has one",
    arguments: [
      ("2024-05-01T12:30:00", nil), ("2024-05-01T12:30:00.25+02:00", 120),
      ("2024-02-29T23:59:60Z", 0), ("0001-01-01T00:00:00.123456789-09:30", -570),
      ("2000-02-29T00:00:00+14:00", 840),
    ] as [(String, Int?)])
  func reads(text: String, offset: Int?) throws {
    let time = try #require(CaptureTime(text))
    #expect(time.description == text)
    #expect(time.offset == offset)
    #expect(time.local == text.prefix(19))
  }

  @Test(
    "rejects malformed and impossible capture times",
    arguments: [
      "", "2024-05-01", "2024-05-01 12:30:00", "2024:05:01 12:30:00", "0000-01-01T00:00:00",
      "2023-02-29T12:00:00", "1900-02-29T12:00:00", "2024-04-31T12:00:00", "2024-13-01T12:00:00",
      "2024-05-01T24:00:00", "2024-05-01T12:60:00", "2024-05-01T12:30:61", "2024-05-01T12:30:00.",
      "2024-05-01T12:30:00.1234567890", "2024-05-01T12:30:00z", "2024-05-01T12:30:00+2:00",
      "2024-05-01T12:30:00+02:60", "2024-05-01T12:30:00+0200", "2024-05-01T12:30:00+02:00x",
      "２024-05-01T12:30:00",
    ])
  func refuses(text: String) { #expect(CaptureTime(text) == nil) }
}
