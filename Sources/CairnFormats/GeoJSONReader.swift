internal import CairnDocument

/// Points become pins; features that ``GeoJSONWriter`` made of photos say what they say. Source: RFC
/// 7946.
struct GeoJSONReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.withBytes(of: path) { bytes in
      try source.scanning(path) {
        var lines = LineCounter(bytes)
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        var (isFirst, hasFeatures) = (true, false)
        while let token = try scanner.nextMember(&isFirst) {
          let key = try scanner.string(of: token)
          guard key == "features" else {
            let value = try scanner.value(depth: 1)
            source.ignore([key: value], but: ["type", "bbox"], of: "the collection")
            continue
          }
          hasFeatures = true
          try scanner.beginArray()
          var isFirstElement = true
          while try scanner.nextElement(&isFirstElement) {
            let place = ForeignPlace(path, line: lines.line(at: scanner.offset))
            try read(try scanner.value(depth: 2), place)
          }
        }
        try scanner.finish()
        if !hasFeatures {
          throw FormatError(ForeignPlace(path), "it is not a FeatureCollection")
        }
      }
    }
  }

  private func read(_ feature: JSON, _ place: ForeignPlace) throws {
    let properties = feature["properties"]?.object ?? [:]
    let known: Set = ["type", "id", "geometry", "properties", "bbox"]
    source.ignore(feature.object ?? [:], but: known, of: "features")
    let numbers = feature["geometry"]?["coordinates"]?.array?.map(\.number) ?? []
    let isPoint = feature["geometry"]?["type"]?.string == "Point"
    var location: Coordinate?
    if isPoint, numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] {
      location = Coordinate(latitude: latitude, longitude: longitude)
    }
    if properties["kind"]?.string == "photo" {
      return try PhotoMembers(source).read(properties, at: location, place)
    }
    guard isPoint else { return try source.problem(place, "a feature that is not a point") }
    guard let location else {
      return try source.problem(place, "not a longitude within ±180 and a latitude within ±90")
    }
    if numbers.count > 2 { source.ignore("the altitude of pins") }
    source.ignore(properties, but: ["kind", "name", "title"], of: "pins")
    let name = (properties.text("name", "title") ?? "").trimmingSpaces()
    guard name.utf8.count <= ForeignSource.textLimit else {
      return try source.problem(place, "a name of more than \(ForeignSource.textLimit) bytes")
    }
    try source.pin(
      ForeignPin(
        id: feature["id"]?.string.flatMap { PinID($0) }, location: location, name: name,
        place: place))
  }
}
