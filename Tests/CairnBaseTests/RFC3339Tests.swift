import CairnBase
import Foundation
import Testing

@Suite("Times of RFC 3339")
struct RFC3339Tests {
  @Test(
    "parses times with and without a fraction and an offset",
    arguments: [
      ("2016-11-10T15:29:07Z", 1_478_791_747_000, 0),
      ("2016-11-10T16:29:07.25+01:00", 1_478_791_747_250, 60),
      ("2016-11-10T05:59:07.1239-09:30", 1_478_791_747_123, -570),
      ("1970-01-01T00:00:00Z", 0, 0), ("1969-12-31T23:59:59.999Z", -1, 0),
      ("1970-01-01T00:00:00", 0, nil), ("1970-01-01T00:00:00.5", 500, nil),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000, 0),
      ("0000-01-01T00:00:00.000Z", -62_167_219_200_000, 0),
    ] as [(String, Int64, Int?)])
  func parses(text: String, milliseconds: Int64, offset: Int?) throws {
    let time = try #require(RFC3339(text))
    #expect(time.milliseconds == milliseconds)
    #expect(time.offset == offset)
  }

  @Test("parses lower-case letters only when they are allowed")
  func lowerCase() {
    #expect(RFC3339("1970-01-01t00:00:00z") == nil)
    #expect(RFC3339("1970-01-01t00:00:00z", allowingLowerCase: true)?.milliseconds == 0)
  }

  @Test(
    "rejects malformed and impossible times",
    arguments: [
      "", "2016-11-10", "2016-13-10T15:29:07Z", "2016-00-10T15:29:07Z", "2016-02-30T15:29:07Z",
      "1900-02-29T00:00:00Z", "2016-11-10T24:00:00Z", "2016-11-10T15:60:07Z",
      "2016-11-10T15:29:61Z", "2016-11-10T15:29:07.Z", "2016-11-10T15:29:07Zx",
      "2016-11-10T15:29:07+1:00", "2016-11-10T15:29:07+01:60", "2016-11-10T15:29:07+0100",
      "2016-11-10 15:29:07Z", "+016-11-10T15:29:07Z", "２016-11-10T15:29:07Z",
    ])
  func refuses(text: String) { #expect(RFC3339(text, allowingLowerCase: true) == nil) }

  @Test("formats dates of the years 0 to 8999 as the C library does")
  func days() {
    for day in stride(from: -719_528, to: 2_567_655, by: 37) {
      var time = time_t(day * 86_400 + 3_723)
      var parts = tm()
      gmtime_r(&time, &parts)
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d.007Z", Int(parts.tm_year) + 1900,
        Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min),
        Int(parts.tm_sec))
      let text = RFC3339.text(milliseconds: Int64(time) * 1000 + 7)
      guard text == expected else {
        Issue.record("\(time): \(text) is not \(expected)")
        return
      }
    }
  }

  @Test("formats and parses times as Foundation's Gregorian calendar does")
  func foundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // From 1600 on, because Foundation uses the Julian calendar before 1582.
    for seconds in stride(from: -11_676_096_000, to: 221_845_392_000, by: 729_000_007) {
      let date = Date(timeIntervalSince1970: Double(seconds))
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: date)
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d.000Z", parts.year!, parts.month!, parts.day!,
        parts.hour!, parts.minute!, parts.second!)
      let text = RFC3339.text(milliseconds: Int64(seconds) * 1000)
      #expect(text == expected)
      #expect(RFC3339(text)?.milliseconds == Int64(seconds) * 1000)
      #expect(try Date(String(text.prefix(19)) + "Z", strategy: .iso8601) == date)
    }
  }
}

@Suite("Days of the calendar")
struct CivilDateTests {
  @Test("accepts only days that exist in their month", arguments: [0, 1900, 2000, 2023, 2024])
  func monthLengths(year: Int) {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for month in 0...13 {
      for day in 0...32 {
        let exists = 1...12 ~= month && day >= 1 && day <= lengths[month - 1]
        #expect((CivilDate(year: year, month: month, day: day) != nil) == exists)
      }
    }
  }

  @Test("counts days from 1970 and back")
  func days() {
    #expect(CivilDate(year: 1970, month: 1, day: 1)?.daysSince1970 == 0)
    #expect(CivilDate(year: 2000, month: 3, day: 1)?.daysSince1970 == 11_017)
    for days in stride(from: -800_000, to: 3_000_000, by: 101) {
      #expect(CivilDate(daysSince1970: days).daysSince1970 == days)
    }
  }
}
