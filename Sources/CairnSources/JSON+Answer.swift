internal import CairnDocument

extension JSON {
  /// The longest answer of a service that is read, in bytes.
  static let answerLimit = 8 << 20

  /// Reads the answer of a service, to the depth that documents have; nil when it is not JSON.
  init?(answer: [UInt8]) {
    guard answer.count <= JSON.answerLimit else { return nil }
    let value = answer.withUnsafeBufferPointer { buffer -> JSON? in
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

  /// A number, which some services write as a string.
  var decimal: Double? {
    let value = double ?? string.flatMap { Double($0) }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A text, or a number as one: ids are either.
  var name: String? {
    if case .number(let number) = self { return number.text }
    return string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A text in one line for people.
  var line: String? { SourceText.line(string) }
}

extension Coordinate {
  /// Makes a place of what a service says; nil when it is none, or the one where nothing is (0, 0).
  init?(_ latitude: JSON?, _ longitude: JSON?) {
    guard let latitude = latitude?.decimal, let longitude = longitude?.decimal,
      latitude != 0 || longitude != 0
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
