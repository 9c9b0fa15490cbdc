internal import CairnBase

/// Parsers for the values after the colons of a query's terms.
enum QueryValue {
  static let states: [String: PhotoQuery.Term] = [
    "favorite": .favorite, "labeled": .flag(.labeled), "removed": .flag(.removed),
    "unlabeled": .flag(.unlabeled),
  ]

  /// Parses a name of ``states``, also in British spelling.
  static func state(_ text: String) -> PhotoQuery.Term? {
    let american = [
      "favourite": "favorite", "labelled": "labeled", "unlabelled": "unlabeled",
    ]
    return states[american[text] ?? text]
  }

  static let properties: [String: PhotoQuery.Term] = [
    "caption": .flag(.hasCaption), "location": .flag(.hasLocation), "pin": .flag(.hasPin),
    "region": .hasRegion, "taken": .flag(.hasTaken), "text": .flag(.hasText),
    "title": .flag(.hasTitle),
  ]

  /// Parses a name of ``properties``, or `place`, an earlier name of `location`.
  static func property(_ text: String) -> PhotoQuery.Term? {
    properties[text == "place" ? "location" : text]
  }

  /// Parses `disputed`, `predicted,disputed`, `any`.
  static func states(_ text: String) -> Set<Resolution.State>? {
    if text == "any" { return [.confirmed, .rejected, .predicted, .disputed] }
    var states = Set<Resolution.State>()
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let state = Resolution.State(rawValue: String(name)), state != .open else { return nil }
      states.insert(state)
    }
    return states
  }

  /// The default distance: more than the 8 of most copies, since a person looks at what is found.
  static let similarDistance = 10
  /// The default number of photos with similar features.
  static let similarCount = 20

  /// Parses `PHOTO`, `PHOTO,DISTANCE` with a distance between 0 and 64, `PHOTO,model=NAME` or
  /// `PHOTO,model=NAME,COUNT`.
  static func similar(_ text: String) -> (photo: String, similarity: Similarity)? {
    if let model = text.ranges(of: ",model=").last {
      let parts = text[model.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
      let count = parts.count > 1 ? Int(parts[1]) : similarCount
      guard parts.count <= 2, !parts[0].isEmpty, let count, count > 0,
        model.lowerBound > text.startIndex
      else { return nil }
      return (
        String(text[..<model.lowerBound]), .features(labeler: String(parts[0]), count: count)
      )
    }
    guard let comma = text.lastIndex(of: ","), let distance = Int(text[text.index(after: comma)...])
    else { return (text, .hash(distance: similarDistance)) }
    return 0...64 ~= distance && comma > text.startIndex
      ? (String(text[..<comma]), .hash(distance: distance)) : nil
  }

  /// Parses `<0.6`, `<=0.6`, `>0.6`, `>=0.6`, `0.6`, `0.5..0.6`, `0.5..`, `..0.6`.
  static func confidence(_ text: String) -> FractionRange? {
    var range = FractionRange()
    if let dots = text.firstRange(of: "..") {
      let (low, high) = (text[..<dots.lowerBound], text[dots.upperBound...])
      if low.isEmpty && high.isEmpty { return nil }
      if !low.isEmpty { guard let value = fraction(low) else { return nil }; range.low = value }
      if !high.isEmpty { guard let value = fraction(high) else { return nil }; range.high = value }
      return range
    }
    let sign = text.prefix { "<>=".contains($0) }
    guard let value = fraction(text.dropFirst(sign.count)) else { return nil }
    switch sign {
    case "<", "<=": (range.high, range.isHighIncluded) = (value, sign == "<=")
    case ">", ">=": (range.low, range.isLowIncluded) = (value, sign == ">=")
    case "", "=": (range.low, range.high) = (value, value)
    default: return nil
    }
    return range
  }

  private static func fraction(_ text: Substring) -> Double? {
    guard let value = Double(text), 0...1 ~= value else { return nil }
    return value
  }

  /// Parses `LATITUDE,LONGITUDE,RADIUS`; the radius in `m` or `km`, meters by default.
  static func circle(_ text: String) -> MapArea? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      let center = Coordinate(latitude: latitude, longitude: longitude),
      let radius = Distance.meters(parts[2])
    else { return nil }
    return MapArea(around: center, radiusMeters: radius)
  }

  /// Parses `WEST,SOUTH,EAST,NORTH`.
  static func box(_ text: String) -> MapArea? {
    let degrees = text.split(separator: ",", omittingEmptySubsequences: false)
      .compactMap { Double($0) }
    guard degrees.count == 4, text.count(where: { $0 == "," }) == 3 else { return nil }
    return MapArea(west: degrees[0], south: degrees[1], east: degrees[2], north: degrees[3])
  }

  // MARK: Dates

  /// Parses a day, a month or a year in UTC, or a range of them, open at either end.
  static func dates(_ text: String) -> Range<Int64>? {
    let all = Int64.min..<Int64.max
    guard let dots = text.firstRange(of: "..") else { return span(text[...]) }
    let (from, to) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let start = from.isEmpty ? all : span(from)
    let end = to.isEmpty ? all : span(to)
    guard let start, let end, !(from.isEmpty && to.isEmpty), start.lowerBound < end.upperBound
    else { return nil }
    return start.lowerBound..<end.upperBound
  }

  /// Returns the range from the first millisecond of `2026`, `2026-05` or `2026-05-03` to the first
  /// one after it.
  private static func span(_ text: Substring) -> Range<Int64>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard 1...3 ~= parts.count, numbers.count == parts.count, parts[0].count == 4 else {
      return nil
    }
    let (year, month) = (numbers[0], numbers.count > 1 ? numbers[1] : 1)
    let day = numbers.count > 2 ? numbers[2] : 1
    guard let start = midnight(year, month, day) else { return nil }
    if numbers.count == 3 { return start..<start + 86_400_000 }
    let (nextYear, nextMonth) =
      numbers.count == 1 ? (year + 1, 1) : month == 12 ? (year + 1, 1) : (year, month + 1)
    return midnight(nextYear, nextMonth, 1).map { start..<$0 }
  }

  /// Returns the first millisecond of a day; nil if there is no such day, or none that has stamps.
  private static func midnight(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
    guard 0..<9000 ~= year, let date = CivilDate(year: year, month: month, day: day) else {
      return nil
    }
    return Int64(date.daysSince1970) * 86_400_000
  }
}
