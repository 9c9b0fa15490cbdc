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
            if key != "type", key != "bbox" {
              try source.note("What is not imported of \(path): “\(key.prefix(64))”.")
            }
            _ = try scanner.value(depth: 1)
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
    if properties["kind"]?.string == "photo" {
      return try PhotoMembers(source).read(properties, place)
    }
    guard feature["geometry"]?["type"]?.string == "Point" else {
      return try source.problem(place, "a feature that is not a point")
    }
    let numbers = feature["geometry"]?["coordinates"]?.array?.map(\.number) ?? []
    guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1],
      let location = Coordinate(latitude: latitude, longitude: longitude)
    else {
      return try source.problem(place, "not a longitude within ±180 and a latitude within ±90")
    }
    for (key, _) in properties.members where !["kind", "name", "title"].contains(key) {
      try source.note("What is not imported of pins: “\(key.prefix(64))”.")
    }
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
