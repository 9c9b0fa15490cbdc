internal import CairnBase
internal import CairnDocument

/// A writer of a JSON file beside each image: flags for classes of the whole photo, a shape for each
/// region.
///
/// The parts of an outline are shapes with the same `group_id`; a hole is joined to its ring by a
/// line there and back. Source: labelme, `labelme/_label_file.py` and `labelme/shape.py`.
final class LabelMeWriter: FormatWriter {
  private let output: FormatOutput

  init(_ output: FormatOutput) { self.output = output }

  func write(_ photo: AnnotatedPhoto) throws {
    let directory = photo.split ?? ""
    _ = try output.placeImage(photo, in: directory)
    var flags = JSONObject()
    var shapes: [JSON] = []
    var groups = 0
    for label in photo.labels {
      let name = label.labelClass.key.text
      if label.labelsWholePhoto { flags[name] = true }
      for box in label.boxes {
        let parts = box.region.polygons.count
        if parts > 1 { groups += 1 }
        shapes += LabelMeWriter.shapes(
          of: box.region, name, photo.image, group: parts > 1 ? groups : nil)
      }
    }
    let file: JSON = [
      "version": "5.5.0", "flags": .object(flags), "shapes": .array(shapes),
      "imagePath": .string(photo.fileName), "imageData": .null,
      "imageHeight": JSON(photo.image.height), "imageWidth": JSON(photo.image.width),
    ]
    let path = directory.isEmpty ? "\(photo.id).json" : "\(directory)/\(photo.id).json"
    try output.write(file.canonicalBytes, to: path)
  }

  func finish() throws {}

  private static func shapes(
    of region: Region, _ name: String, _ image: ImageFacts, group: Int?
  ) -> [JSON] {
    func shape(_ type: String, _ points: [Polygon.Point]) -> JSON {
      [
        "label": .string(name), "points": .array(points.map { [JSON($0.x), JSON($0.y)] }),
        "group_id": group.map { JSON($0) } ?? .null, "description": "",
        "shape_type": .string(type), "flags": [:], "mask": .null,
      ]
    }
    if region.polygons.isEmpty {
      let box = region.pixels(image)
      return [
        shape(
          "rectangle",
          [
            Polygon.Point(x: box.x, y: box.y),
            Polygon.Point(x: box.x + box.width, y: box.y + box.height),
          ])
      ]
    }
    return region.outlinePixels(image).map { shape("polygon", [$0].singleRing) }
  }
}
