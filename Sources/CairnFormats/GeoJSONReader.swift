internal import CairnDocument

/// Points become pins; features that ``GeoJSONWriter`` made of photos say what they say. Source: RFC
/// 7946.
struct GeoJSONReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    var hasFeatures = false
    try source.forEachElement(of: path, in: ["features"]) { key, value, place, _ in
      if key == "features" {
        hasFeatures = true
        try read(value, place)
      } else {
        if key == "type", value.string == "FeatureCollection" { hasFeatures = true }
        source.ignore([key: value], but: ["type", "bbox"], of: "the collection")
      }
    }
    if !hasFeatures { throw FormatError(ForeignPlace(path), "it is not a FeatureCollection") }
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
