public import CairnDocument
internal import CairnMetrics

// What `cairn evaluate --json` prints and `GET /api/metrics/models` returns. Metrics.md documents
// the members. A figure without meaning is null.

extension ModelMetrics {
  public var json: JSON {
    [
      "boxes": boxes?.json ?? .null, "calibration": calibration.json,
      "classes": .array(classes.map(\.json)), "disputed": JSON(disputed),
      "independent": independent?.json ?? .null,
      "independentUndefined": JSON(independentUndefined?.rawValue),
      "learned": JSON(learned), "learnedFromAll": .bool(learnedFromAll),
      "learnedIsKnown": .bool(learnedIsKnown), "model": .string(model.identity),
      "neverNamed": .array(neverNamed.map { .string($0.text) }), "photos": JSON(photos),
      "sets": .array(sets.map(\.json)), "silent": JSON(silent),
      "silentIsKnown": .bool(silentIsKnown), "training": JSON(training?.text),
      "withoutGroundTruth": JSON(withoutGroundTruth),
    ]
  }
}

extension ModelMetrics.PerClass {
  fileprivate var json: JSON {
    [
      "accuracy": optional(matrix.accuracy),
      "averagePrecision": optional(ranking.averagePrecision), "calibration": calibration.json,
      "class": .string(classKey.text), "curve": .array(ranking.curve.map(\.json)),
      "f1": optional(f1), "falseNegatives": JSON(matrix[1, 0]),
      "falsePositives": JSON(matrix[0, 1]), "name": .string(name), "photos": JSON(matrix.count),
      "precision": optional(precision.value), "precisionInterval": limits(precision.interval),
      "recall": optional(recall.value), "recallInterval": limits(recall.interval),
      "trueNegatives": JSON(matrix[0, 0]), "truePositives": JSON(matrix[1, 1]),
      "undefined": JSON(undefined?.rawValue),
    ]
  }
}

extension ModelMetrics.PerSet {
  fileprivate var json: JSON {
    [
      "accuracy": optional(matrix.accuracy), "classes": .array(classes.map { .string($0.text) }),
      "macro": macro?.json ?? .null, "macroF1Interval": limits(macroF1Interval),
      "matrix": .array(
        classes.indices.map { truth in
          .array(classes.indices.map { JSON(matrix[truth, $0]) })
        }), "micro": micro?.json ?? .null, "names": .array(names.map { .string($0) }),
      "none": .array(classes.indices.map { JSON(matrix[$0, nil]) }),
      "photos": JSON(matrix.count), "set": .string(set.text), "top1": topOne.json,
      "top5": topFive?.json ?? .null, "trueClasses": JSON(trueClasses),
    ]
  }
}

extension ModelMetrics.Independent {
  fileprivate var json: JSON {
    [
      "classes": JSON(classes), "macro": macro.json, "macroF1Interval": limits(macroF1Interval),
      "meanAveragePrecision": JSON(meanAveragePrecision), "micro": micro.json,
    ]
  }
}

extension ModelMetrics.Boxes {
  fileprivate var json: JSON {
    [
      "classes": .array(classes.map(\.json)), "map": optional(meanAveragePrecision),
      "map50": optional(meanAveragePrecisionAtHalf), "photos": JSON(photos),
      "unlocated": JSON(unlocated),
    ]
  }
}

extension ModelMetrics.Boxes.PerClass {
  fileprivate var json: JSON {
    [
      "ap": optional(matches.averagePrecision), "ap50": optional(matches.averagePrecision(at: 0)),
      "boxes": JSON(matches.boxes), "class": .string(classKey.text),
      "detections": JSON(matches.detections), "name": .string(name),
      "recall50": matches.recall(at: 0).json,
    ]
  }
}

extension Calibration {
  fileprivate var json: JSON {
    [
      "bins": .array(
        bins.enumerated().map { index, bin in
          [
            "accuracy": optional(bin.accuracy), "confidence": optional(bin.confidence),
            "count": JSON(bin.count), "from": JSON(Calibration.edge(index)),
            "to": JSON(Calibration.edge(index + 1)),
          ]
        }), "count": JSON(count), "error": optional(error),
    ]
  }
}

extension ScoredRanking.Point {
  fileprivate var json: JSON {
    ["precision": JSON(precision), "recall": JSON(recall), "threshold": JSON(threshold)]
  }
}

extension Scores {
  fileprivate var json: JSON {
    ["f1": JSON(f1), "precision": JSON(precision), "recall": JSON(recall)]
  }
}

extension Proportion {
  fileprivate var json: JSON {
    [
      "count": JSON(count), "hits": JSON(hits), "interval": limits(interval),
      "value": optional(value),
    ]
  }
}

private func optional(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }

/// Returns the lower and the upper limit.
private func limits(_ interval: ClosedRange<Double>?) -> JSON {
  interval.map { .array([JSON($0.lowerBound), JSON($0.upperBound)]) } ?? .null
}
