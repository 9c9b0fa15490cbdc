internal import CairnBase
internal import CairnDocument

/// A reader of FiftyOne's datasets on disk: `labels.json` and `detections.json` with labels by the
/// names of images in `data/`, or `samples.json` with a sample for each image.
///
/// Source: FiftyOne “Dataset export formats”: FiftyOneImageClassificationDataset,
/// FiftyOneImageDetectionDataset, FiftyOneDataset.
struct FiftyOneReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  // Bookkeeping of samples and labels.
  private static let ofSamples: Set<String> = [
    "_id", "_dataset_id", "_media_type", "_rand", "filepath", "metadata", "_cls", "created_at",
    "last_modified_at", "_dataset", "id",
  ]
  private static let ofLabels: Set<String> = [
    "_id", "id", "_cls", "label", "bounding_box", "confidence", "attributes", "target", "points",
    "closed", "filled", "mask",
  ]

  func read() throws {
    if let file = source.file { return try readAny(file) }
    if try source.exists("samples.json") { return try readSamples("samples.json") }
    let names = try ["labels.json", "detections.json"].filter { try source.exists($0) }
    if names.isEmpty {
      throw FormatError(
        source.location, "there is no samples.json, labels.json or detections.json")
    }
    for name in names { try readLabels(name) }
  }

  private func readAny(_ path: String) throws {
    if path.hasSuffix("samples.json") { try readSamples(path) } else { try readLabels(path) }
  }

  // MARK: Labels by image name

  private func readLabels(_ path: String) throws {
    var classes: [String] = []
    var hasLabels = false
    // The classes may be after the labels.
    try source.forEachMember(of: path, in: ["labels"]) { container, key, value, _ in
      if container != nil { hasLabels = true }
      if container == nil, key == "labels" { hasLabels = true }
      if container == nil, key == "classes" {
        classes = (value.array ?? []).map { $0.string ?? "" }
      }
    }
    guard hasLabels else {
      throw FormatError(ImportedLocation(path), "there are no “labels”")
    }
    let images = try ImageStems(source)
    try source.forEachMember(of: path, in: ["labels"]) { container, key, value, location in
      guard container != nil else {
        return source.ignore([key: value], but: ["classes", "labels"], of: "files")
      }
      // A key is a name without extension, or with one where two images have the same name.
      let hasExtension = key.split(separator: ".").last.map {
        key.contains(".") && imageExtensions.contains($0.lowercased())
      }
      var photo = images.photo("data/\(key)", location)
      if hasExtension == true { photo = ImportedPhoto("data/\(key)", location: location) }
      for json in value.isNull ? [] : value.array ?? [value] {
        if let label = try label(json, classes, location) { photo.labels.append(label) }
      }
      try source.photo(photo)
    }
  }

  // MARK: Samples

  private func readSamples(_ path: String) throws {
    var hasSamples = false
    try source.forEachElement(of: path, in: ["samples"]) { key, sample, location, _ in
      guard key == "samples" else {
        return source.ignore([key: sample], but: ["samples"], of: "files")
      }
      hasSamples = true
      try readSample(sample, location)
    }
    if !hasSamples { throw FormatError(ImportedLocation(path), "there are no “samples”") }
  }

  private func readSample(_ sample: JSON, _ location: ImportedLocation) throws {
    guard let object = sample.object, let file = object.text("filepath") else {
      return try source.problem(location, "a sample without “filepath”")
    }
    var photo = ImportedPhoto(file, location: location)
    photo.extent = PixelExtent(
      width: object["metadata"]?["width"]?.number, height: object["metadata"]?["height"]?.number)
    var fields: [String: JSON] = [:]
    for (key, value) in object.members where !FiftyOneReader.ofSamples.contains(key) {
      let kind = value["_cls"]?.string ?? ""
      switch kind {
      case "Classification", "Detection", "Polyline":
        fields[key] = .array([value])
      case "Classifications", "Detections", "Polylines":
        fields[key] = value[kind.lowercased()] ?? .array([])
      case "": source.ignore([key: value], but: [], of: "samples")
      default:
        try source.problem(
          location, "“\(key.prefix(64))” of the type \(kind.prefix(64)), which is not imported")
      }
    }
    for (_, list) in fields.sorted(by: { $0.key < $1.key }) {
      for json in list.array ?? [] {
        if let label = try label(json, [], location) { photo.labels.append(label) }
      }
    }
    try source.photo(photo)
  }

  // MARK: Labels

  private func label(
    _ json: JSON, _ classes: [String], _ location: ImportedLocation
  ) throws -> ImportedLabel? {
    func wrong(_ message: String) throws -> ImportedLabel? {
      try source.problem(location, message)
      return nil
    }
    let given = json.object?["label"] ?? json
    let number = given.int.flatMap { classes.indices.contains($0) ? classes[$0] : nil }
    guard let name = given.string ?? number, !name.isEmpty else {
      return try wrong("a label that is neither a string nor the number of a class")
    }
    var label = ImportedLabel(name)
    guard let object = json.object else { return label }
    source.ignore(object, but: FiftyOneReader.ofLabels, of: "labels")
    if let confidence = object["confidence"], !confidence.isNull {
      guard let confidence = confidence.number, 0...1 ~= confidence else {
        return try wrong("“confidence” is not between 0 and 1")
      }
      (label.confidence, label.isScored) = (confidence, true)
    }
    if let box = object["bounding_box"], !box.isNull {
      guard let (x, y, width, height) = box.fourNumbers else {
        return try wrong("“bounding_box” is not four numbers")
      }
      let box = NormalizedRect(x: x, y: y, width: width, height: height)
      label.box = .fractions(box)
      if let mask = object["mask"], !mask.isNull {
        guard let outline = outline(mask, in: box) else {
          return try wrong("“mask” is not a NumPy array of a mask")
        }
        label.outline = outline
      }
    } else if let shapes = object["points"]?.array {
      guard let shape = shape(shapes, object) else {
        return try wrong("a polyline without the coordinates of an area")
      }
      (label.box, label.outline) = shape
    }
    takeAttributes(object["attributes"]?.object ?? [:], to: &label)
    return label
  }

  /// Returns the outline of the mask of a detection; nil if it is not a mask.
  private func outline(_ mask: JSON, in box: NormalizedRect) -> ImportedOutline? {
    let text = mask["$binary"]?["base64"]?.string ?? mask["$binary"]?.string ?? mask.string
    guard let packed = text.flatMap(PackedMask.init(packedArray:)) else { return nil }
    let outline = ImportedOutline(packed, in: box)
    return outline.polygons.isEmpty ? nil : outline
  }

  /// Returns the outline of the shapes of a polyline that is closed or filled, otherwise the box
  /// around them; they are in fractions.
  private func shape(
    _ shapes: [JSON], _ polyline: JSONObject
  ) -> (box: ImportedBox?, outline: ImportedOutline?)? {
    let rings = shapes.compactMap(\.pairs)
    guard rings.count == shapes.count else { return nil }
    let polygons = rings.map { Polygon(outer: $0) }
    if polyline["closed"]?.bool == true || polyline["filled"]?.bool == true {
      guard !rings.isEmpty, rings.allSatisfy({ $0.count >= 3 }) else { return nil }
      return (nil, ImportedOutline(polygons, in: .fractions))
    }
    guard let bounds = polygons.bounds, bounds.width > 0, bounds.height > 0 else { return nil }
    source.ignore("the exact form of polylines: their bounding boxes are imported")
    return (.fractions(bounds), nil)
  }

  /// Reads the attributes that ``FiftyOneWriter`` writes, and counts others.
  private func takeAttributes(_ attributes: JSONObject, to label: inout ImportedLabel) {
    if let annotators = attributes["annotators"]?.array, let state = attributes.text("state") {
      label.isScored = false
      _ = label.take(state: state, annotators: annotators.compactMap(\.string))
    }
    source.ignore(attributes, but: ["annotators", "state"], of: "labels")
  }
}
