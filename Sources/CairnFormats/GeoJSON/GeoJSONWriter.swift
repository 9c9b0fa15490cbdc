internal import CairnDocument

/// A writer of GeoJSON: a feature for each pin and each photo, at the coordinate of its pin or
/// otherwise the one in its metadata; without either, its geometry is null.
/// Source: RFC 7946.
final class GeoJSONWriter: FormatWriter {
  private let output: FormatOutput
  private let file: OutputFile
  private let features: ArrayOutput
  private var pins: Set<PinID> = []

  init(_ output: FormatOutput) throws {
    self.output = output
    file = try output.open("photos.geojson")
    try file.write("{\"type\":\"FeatureCollection\",\"features\":[")
    features = ArrayOutput(file)
  }

  func write(_ photo: AnnotatedPhoto) throws {
    if let pin = photo.pin, pins.insert(pin.id).inserted {
      try features.write(
        feature(pin.id.text, pin.location, ["kind": "pin", "name": .string(pin.name)]))
    }
    var properties = photo.members
    properties["kind"] = "photo"
    properties["latitude"] = nil
    properties["longitude"] = nil
    properties["file_name"] = .string(try output.placeImage(photo, in: "images"))
    try features.write(feature(photo.id.description, photo.location, properties))
  }

  private func feature(
    _ id: String, _ location: Coordinate?, _ properties: JSONObject
  ) -> JSON {
    [
      "type": "Feature", "id": .string(id), "properties": .object(properties),
      "geometry": location.map {
        ["type": "Point", "coordinates": .array([JSON($0.longitude), JSON($0.latitude)])]
      } ?? .null,
    ]
  }

  func finish() throws {
    try file.write("\n]}\n")
    try file.close()
  }
}
