internal import CairnDocument

extension JSON {
  /// The maximum size of a response, in bytes.
  static let responseLimit = 8 << 20

  /// Parses the response of a service, with the same depth limit as documents; nil when it is not
  /// JSON.
  init?(response: [UInt8]) {
    guard response.count <= JSON.responseLimit else { return nil }
    let value = response.withUnsafeBufferPointer { buffer -> JSON? in
      do throws(DocumentError) {
        var scanner = JSONScanner(buffer)
        let value = try scanner.value()
        try scanner.finish()
        return value
      } catch {
        return nil
      }
    }
    guard let value else { return nil }
    self = value
  }

  /// The value as a number, which some services write as a string.
  var decimal: Double? {
    let value = double ?? string.flatMap { Double($0) }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The value as a string, also if it is a number: ids are either.
  var name: String? {
    if case .number(let number) = self { return number.text }
    return string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value as a single line of text.
  var line: String? { SourceText.line(string) }
}

extension Coordinate {
  /// Creates a coordinate from a response; nil when it is invalid or a missing location written as
  /// (0, 0).
  init?(_ latitude: JSON?, _ longitude: JSON?) {
    guard let latitude = latitude?.decimal, let longitude = longitude?.decimal,
      latitude != 0 || longitude != 0
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
