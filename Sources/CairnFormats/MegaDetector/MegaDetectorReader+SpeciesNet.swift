internal import CairnDocument

// The results of SpeciesNet: the boxes of MegaDetector, and the class of each photo that an ensemble
// decided on. Source: README of https://github.com/google/cameratrapai, “Output format”.

extension MegaDetectorReader {
  private static let readOfPredictions: Set<String> = [
    "filepath", "failures", "detections", "classifications", "prediction", "prediction_score",
    "prediction_source", "model_version",
  ]
  /// The class of photos for which the ensemble has no answer.
  private static let noAnswer = "no cv result"

  /// Reads an element of `predictions`.
  func readPrediction(_ json: JSON, _ location: ImportedLocation) throws {
    guard let object = json.object, let file = object.text("filepath") else {
      return try source.problem(location, "a prediction without “filepath”")
    }
    source.ignore(object, but: MegaDetectorReader.readOfPredictions, of: "predictions")
    let model = object.text("model_version").flatMap { modelName("speciesnet@\($0)") }
    var photo = ImportedPhoto(file, location: location)
    func add(_ name: String, _ confidence: Double, box: ImportedBox? = nil) {
      var label = ImportedLabel(name, box: box, confidence: confidence)
      label.isScored = true
      label.attribute(toModel: model, at: nil)
      photo.labels.append(label)
    }
    for detection in object["detections"]?.array ?? [] {
      guard let (box, confidence) = try box(detection, location) else { continue }
      guard let name = detection["label"]?.string, !name.isEmpty else {
        try source.problem(location, "a detection without “label”")
        continue
      }
      add(name, confidence, box: box)
    }
    let classes = try classes(of: object, location)
    for (name, score) in classes { add(name, score) }
    for failure in (object["failures"]?.array ?? []).compactMap(\.string) {
      source.ignore("failures of “\(failure.prefix(64))”")
    }
    // A photo that nothing could be said of may not even exist.
    let hasAnswer = object["detections"] != nil || !classes.isEmpty
    if hasAnswer || object["failures"] == nil { try source.photo(photo) }
  }

  /// Returns the class that the ensemble decided on or, without it, those of the classifier.
  private func classes(
    of object: JSONObject, _ location: ImportedLocation
  ) throws -> [(name: String, score: Double)] {
    var pairs: [(JSON, JSON)] = []
    if let prediction = object["prediction"], let score = object["prediction_score"] {
      pairs = [(prediction, score)]
    } else if let found = object["classifications"]?.object {
      pairs = Array(zip(found["classes"]?.array ?? [], found["scores"]?.array ?? []))
    }
    var classes: [(name: String, score: Double)] = []
    for (text, score) in pairs {
      guard let score = score.number, 0...1 ~= score,
        let name = text.string.flatMap(MegaDetectorReader.className)
      else {
        try source.problem(location, "a class of SpeciesNet that is not a name and a score")
        continue
      }
      if name == MegaDetectorReader.noAnswer {
        source.ignore("photos without an answer (“\(name)”)")
      } else {
        classes.append((name, score))
      }
    }
    return classes
  }

  /// Returns the name of a class: its common name or, without one, its scientific name.
  ///
  /// - Parameter text: `id;class;order;family;genus;species;common name`.
  private static func className(_ text: String) -> String? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 7 else { return nil }
    if !parts[6].isEmpty { return String(parts[6]) }
    if !parts[4].isEmpty, !parts[5].isEmpty { return "\(parts[4]) \(parts[5])" }
    return parts[1...5].last { !$0.isEmpty }.map(String.init)
  }
}
