internal import CairnDocument

/// A reader of GeoJSON: points become pins; features of photos, as ``GeoJSONWriter`` writes them,
/// become photos with their labels. Source: RFC 7946.
struct GeoJSONReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    var hasFeatures = false
    try source.forEachElement(of: path, in: ["features"]) { key, value, location, _ in
      if key == "features" {
        hasFeatures = true
        try read(value, location)
      } else {
        if key == "type", value.string == "FeatureCollection" { hasFeatures = true }
        source.ignore([key: value], but: ["type", "bbox"], of: "the collection")
      }
    }
    if !hasFeatures { throw FormatError(ImportedLocation(path), "it is not a FeatureCollection") }
  }

  private func read(_ feature: JSON, _ location: ImportedLocation) throws {
    let properties = feature["properties"]?.object ?? [:]
    let known: Set = ["type", "id", "geometry", "properties", "bbox"]
    source.ignore(feature.object ?? [:], but: known, of: "features")
    let numbers = feature["geometry"]?["coordinates"]?.array?.map(\.number) ?? []
    let isPoint = feature["geometry"]?["type"]?.string == "Point"
    var coordinate: Coordinate?
    if isPoint, numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] {
      coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    if properties["kind"]?.string == "photo" {
      return try PhotoObjectReader(source).read(properties, at: coordinate, location)
    }
    guard isPoint else { return try source.problem(location, "a feature that is not a point") }
    guard let coordinate else {
      return try source.problem(location, "not a longitude within ±180 and a latitude within ±90")
    }
    if numbers.count > 2 { source.ignore("the altitude of pins") }
    source.ignore(properties, but: ["kind", "name", "title"], of: "pins")
    let name = (properties.text("name", "title") ?? "").trimmingSpaces()
    guard name.utf8.count <= ImportReader.textLimit else {
      return try source.problem(location, "a name longer than \(ImportReader.textLimit) bytes")
    }
    try source.pin(
      ImportedPin(
        id: feature["id"]?.string.flatMap { PinID($0) }, coordinate: coordinate, name: name,
        location: location))
  }
}
