internal import CairnBase
internal import CairnDocument

/// A reader of the results of MegaDetector: boxes by a detector, and their classes by a classifier;
/// and of those of SpeciesNet, which uses it.
///
/// All labels are a model's. Boxes are fractions from the top left corner. Source: “MegaDetector
/// output format”, versions 1.0 to 1.6 (https://lila.science/megadetector-output-format).
struct MegaDetectorReader {
  let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The members of the file other than `images`, which may be before or after them.
  private struct Header {
    var detections: [String: String] = [:]
    var classifications: [String: String] = [:]
    var detector: String?
    var classifier: String?
    var detectionTime: String?
    var classificationTime: String?
    var hasImages = false
  }

  private static let lists: Set<String> = ["images", "predictions"]
  private static let readOfImages: Set<String> = [
    "file", "detections", "failure", "max_detection_conf",
  ]
  private static let readOfDetections: Set<String> = [
    "category", "conf", "bbox", "classifications",
  ]

  func read() throws {
    let path = try path()
    let header = try header(of: path)
    try source.forEachElement(of: path, in: MegaDetectorReader.lists) { list, item, location, _ in
      if list == "images" { try read(item, header, location) }
      if list == "predictions" { try readPrediction(item, location) }
    }
  }

  private func path() throws -> String {
    if let file = source.file { return file }
    let paths = try source.names(in: "", areDirectories: false).filter { $0.hasSuffix(".json") }
    guard paths.count == 1 else {
      throw FormatError(
        source.location, "it contains \(paths.count) JSON files; give the path of the file itself")
    }
    return paths[0]
  }

  private func header(of path: String) throws -> Header {
    var header = Header()
    func names(_ json: JSON) -> [String: String] {
      Dictionary(
        (json.object?.members ?? []).compactMap { member in
          member.value.string.map { (member.key, $0) }
        }, uniquingKeysWith: { first, _ in first })
    }
    try source.forEachElement(of: path, in: MegaDetectorReader.lists) { key, value, _, _ in
      switch key {
      case "images", "predictions": header.hasImages = true
      case "detection_categories": header.detections = names(value)
      case "classification_categories": header.classifications = names(value)
      case "classification_category_descriptions": break
      case "info":
        header.detector = detector(value)
        header.classifier = value["classifier"]?.string.flatMap { modelName($0) }
        header.detectionTime = value["detection_completion_time"]?.string
        header.classificationTime = value["classification_completion_time"]?.string
      default: source.ignore("“\(key.prefix(64))”")
      }
    }
    guard header.hasImages || !header.detections.isEmpty else {
      throw FormatError(ImportedLocation(path), "it contains neither images nor categories")
    }
    return header
  }

  /// Returns the detector as `NAME@VERSION`; nil when the file does not give its version.
  private func detector(_ info: JSON) -> String? {
    let version = info["detector_metadata"]?["megadetector_version"]?.string ?? "unknown"
    if version != "unknown", !version.isEmpty { return "megadetector@\(version)" }
    let name = info["detector"]?.string ?? ""
    // The names of the released files: `md_v5a.0.0.pt`, `md_v4.1.0.pb`, `megadetector_v4.1`.
    for prefix in ["md_v", "megadetector_v"] where name.hasPrefix(prefix) {
      var version = name.dropFirst(prefix.count)
      for suffix in [".pt", ".pb"] where version.hasSuffix(suffix) {
        version = version.dropLast(suffix.count)
      }
      return "megadetector@v\(version)"
    }
    return modelName(name)
  }

  func modelName(_ name: String) -> String? {
    Annotator(model: name) == nil ? nil : name
  }

  private func read(_ image: JSON, _ header: Header, _ location: ImportedLocation) throws {
    guard let object = image.object, let file = object.text("file") else {
      return try source.problem(location, "an image without “file”")
    }
    if let failure = object.text("failure") {
      return source.ignore("images that the detector failed on (“\(failure.prefix(64))”)")
    }
    if object["frame_rate"] != nil || object["frames_processed"] != nil {
      return source.ignore("videos")
    }
    source.ignore(object, but: MegaDetectorReader.readOfImages, of: "images")
    var photo = ImportedPhoto(file, location: location)
    for detection in object["detections"]?.array ?? [] {
      photo.labels += try labels(detection, header, location)
    }
    try source.photo(photo)
  }

  /// Returns the box of a detection and its confidence; reports an invalid one and returns nil.
  func box(
    _ detection: JSON, _ location: ImportedLocation
  ) throws -> (box: ImportedBox, confidence: Double)? {
    guard let object = detection.object, let confidence = object["conf"]?.number,
      0...1 ~= confidence
    else {
      try source.problem(location, "a detection whose “conf” is not between 0 and 1")
      return nil
    }
    guard let (x, y, width, height) = object["bbox"]?.fourNumbers else {
      try source.problem(location, "a detection whose “bbox” is not four numbers")
      return nil
    }
    return (.fractions(NormalizedRect(x: x, y: y, width: width, height: height)), confidence)
  }

  /// Returns the labels of a detection: the detector's, then the classifier's on the same box.
  private func labels(
    _ detection: JSON, _ header: Header, _ location: ImportedLocation
  ) throws -> [ImportedLabel] {
    guard let (box, confidence) = try box(detection, location), let object = detection.object else {
      return []
    }
    source.ignore(object, but: MegaDetectorReader.readOfDetections, of: "detections")
    let category = object["category"]?.string ?? object["category"]?.int.map(String.init) ?? ""
    // Source: “Detection categories not listed here … should be treated as no detection.”
    guard let name = header.detections[category] else {
      source.ignore("detections of unlisted categories")
      return []
    }
    var label = ImportedLabel(name, box: box, confidence: confidence)
    label.isScored = true
    label.attribute(toModel: header.detector, at: header.detectionTime)
    var labels = [label]
    for classification in object["classifications"]?.array ?? [] {
      guard let pair = classification.array, pair.count == 2, let score = pair[1].number,
        0...1 ~= score,
        let name = header.classifications[pair[0].string ?? pair[0].int.map(String.init) ?? ""]
      else {
        try source.problem(location, "a classification that is not a listed category and a score")
        continue
      }
      var label = ImportedLabel(name, box: box, confidence: score)
      label.isScored = true
      label.attribute(toModel: header.classifier, at: header.classificationTime)
      labels.append(label)
    }
    return labels
  }
}
