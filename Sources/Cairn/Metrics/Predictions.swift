internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// The predictions of one version of a model for a photo.
struct Predictions {
  /// The verdict and confidence for each class.
  private(set) var byClass: [ClassKey: (isPresent: Bool, confidence: Double)] = [:]
  /// The classes that count as present.
  private(set) var predicted: Set<ClassKey> = []
  /// The classes of each set that it labels as present, highest confidence first.
  private(set) var ranked: [ClassKey: [ClassKey]] = [:]
  /// The class with the highest confidence in each set, if it reaches the threshold.
  private(set) var choices: [ClassKey: ClassKey] = [:]
  /// The boxes of each class.
  private(set) var boxes: [ClassKey: [DetectionMatches.Detection]] = [:]

  /// - Parameter labels: The labels of one version of a model that count; none if it was silent.
  init(_ labels: [Label], of model: Annotator, _ rules: ResolutionRules) {
    for label in labels {
      let key = rules.classes.canonicalKey(of: label.classKey)
      let prediction = (
        isPresent: label.verdict == .present, confidence: label.confidence
      )
      // The box with the highest confidence decides; another box does not make the class less
      // certain.
      if let known = byClass[key],
        (known.isPresent ? 1 : 0, known.confidence)
          >= (prediction.isPresent ? 1 : 0, prediction.confidence)
      {
        continue
      }
      byClass[key] = prediction
    }
    rank(rules.classes)
    let threshold = model.model.map { rules.threshold(of: $0.name) } ?? 0
    for (key, prediction) in byClass
    where prediction.isPresent && prediction.confidence >= threshold {
      guard let set = rules.classes.set(of: key) else {
        predicted.insert(key)
        continue
      }
      if ranked[set]?.first == key { choices[set] = key }
    }
    predicted.formUnion(choices.values)
    addBoxes(labels, rules.classes)
  }

  private mutating func rank(_ classes: ClassTable) {
    var bySet: [ClassKey: [(confidence: Double, key: ClassKey)]] = [:]
    for (key, prediction) in byClass where prediction.isPresent {
      guard let set = classes.set(of: key) else { continue }
      bySet[set, default: []].append((prediction.confidence, key))
    }
    // Consistent with the label resolver: of equal confidences, the last by key.
    ranked = bySet.mapValues { choices in
      choices.sorted { ($0.confidence, $0.key) > ($1.confidence, $1.key) }.map(\.key)
    }
  }

  private mutating func addBoxes(_ labels: [Label], _ classes: ClassTable) {
    var byClass: [ClassKey: [(id: String, detection: DetectionMatches.Detection)]] = [:]
    for label in labels where label.verdict == .present {
      guard let region = label.region else { continue }
      byClass[classes.canonicalKey(of: label.classKey), default: []].append(
        (region.id.text, .init(confidence: label.confidence, box: region.box)))
    }
    // A fixed order, whatever the order of labels: it decides between equal confidences.
    boxes = byClass.mapValues { $0.sorted { $0.id < $1.id }.map(\.detection) }
  }

  /// Returns how certain the model is that the photo has the class, 0 to 1.
  func score(of key: ClassKey) -> Double {
    guard let prediction = byClass[key] else { return 0 }
    return prediction.isPresent ? prediction.confidence : 1 - prediction.confidence
  }
}
