internal import CairnBase

/// The time when a photo was taken, by the camera's clock: local time, with the offset from UTC if
/// the file has one. `2024-05-01T12:30:00`, `2024-05-01T12:30:00.25+02:00`, `2024-05-01T10:30:00Z`.
///
/// Source: RFC 3339, section 5.6, without the offset if it is not known; years 1 to 9999.
public struct CaptureTime: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// Parses a time; nil if the text is not one.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard text.withUTF8(CaptureTime.isValid) else { return nil }
    description = text
  }

  /// Date and time to the second, without the offset: sorts by the camera's clock.
  package var local: Substring { description.prefix(19) }

  /// Minutes east of UTC; nil if the file has none.
  package var offset: Int? { RFC3339(description)?.offset }

  private static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let time = RFC3339(utf8: text) else { return false }
    return time.date.year >= 1 && time.fractionDigits <= 9
  }
}
