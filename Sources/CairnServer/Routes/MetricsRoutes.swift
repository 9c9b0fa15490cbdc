internal import Cairn
internal import Hummingbird

/// The quality of models, and the agreement between people.
enum MetricsRoutes {
  static let all = [
    Route(.get, "/api/metrics/models", models), Route(.get, "/api/metrics/agreement", agreement),
  ]

  private static func scope(_ request: APIRequest) throws -> MetricsScope {
    var scope = MetricsScope()
    if let text = request["query"], !text.isEmpty { scope.query = try PhotoQuery(text) }
    if let name = request["class"], !name.isEmpty { scope.classNames = [name] }
    return scope
  }

  private static func models(_ request: APIRequest) async throws -> Response {
    let (scope, name) = (try scope(request), request["model"])
    let models = try await request.server.library.read(as: request.session.person) {
      try $0.modelMetrics(scope, of: [name].compactMap { $0 })
    }
    return .json([("models", .array(models.map(\.json)))])
  }

  private static func agreement(_ request: APIRequest) async throws -> Response {
    let scope = try scope(request)
    let json = try await request.server.library.read(as: request.session.person) {
      try $0.agreement(scope).json
    }
    return .json(json)
  }
}

private func number(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }

extension Calibration {
  fileprivate var json: JSON {
    [
      "bins": .array(
        bins.enumerated().map { index, bin in
          [
            "accuracy": number(bin.accuracy), "confidence": number(bin.confidence),
            "count": JSON(bin.count), "from": JSON(Calibration.edge(index)),
            "to": JSON(Calibration.edge(index + 1)),
          ]
        }), "error": number(error),
    ]
  }

  /// Returns precision and recall at the edges of the bins, from the highest threshold on.
  fileprivate func curve(positives: Int) -> [JSON] {
    var (count, hits) = (0, 0)
    return bins.indices.reversed().compactMap { index in
      count += bins[index].count
      hits += bins[index].hits
      guard count > 0, positives > 0 else { return nil }
      return [
        "precision": JSON(Double(hits) / Double(count)),
        "recall": JSON(min(1, Double(hits) / Double(positives))),
        "threshold": JSON(Calibration.edge(index)),
      ]
    }
  }
}

extension ModelMetrics {
  fileprivate var json: JSON {
    [
      "accuracy": number(accuracy), "calibration": calibration.json,
      "classes": .array(classes.map(\.json)), "disputed": JSON(disputed), "f1": number(f1),
      "model": .string(model.identity), "photos": JSON(photos), "sets": .array(sets.map(\.json)),
      "withoutGroundTruth": JSON(withoutGroundTruth),
    ]
  }
}

extension ModelMetrics.PerClass {
  fileprivate var json: JSON {
    [
      "calibration": calibration.json, "class": .string(classKey.text),
      "curve": .array(calibration.curve(positives: matrix.actual(1))),
      "f1": number(matrix.f1(1)), "falseNegatives": JSON(matrix[1, 0]),
      "falsePositives": JSON(matrix[0, 1]), "name": .string(name),
      "precision": number(matrix.precision(1)), "recall": number(matrix.recall(1)),
      "trueNegatives": JSON(matrix[0, 0]), "truePositives": JSON(matrix[1, 1]),
    ]
  }
}

extension ModelMetrics.PerSet {
  fileprivate var json: JSON {
    [
      "classes": .array(classes.map { .string($0.text) }),
      "matrix": .array(
        classes.indices.map { truth in
          .array(classes.indices.map { JSON(matrix[truth, $0]) })
        }), "names": .array(names.map { .string($0) }),
      "none": .array(classes.indices.map { JSON(matrix[$0, nil]) }), "set": .string(set.text),
    ]
  }
}

extension AgreementMetrics {
  fileprivate var json: JSON {
    [
      "pairs": .array(
        pairs.map {
          [
            "agreement": JSON($0.agreement), "first": .string($0.first.identity),
            "kappa": number($0.kappa.value), "name": .string($0.name), "photos": JSON($0.photos),
            "second": .string($0.second.identity), "subject": .string($0.subject.key.text),
          ]
        }), "people": .array(people.map { .string($0.identity) }),
      "subjects": .array(rows.map(\.json)),
    ]
  }
}

extension AgreementMetrics.Row {
  fileprivate var json: JSON {
    let kind =
      switch subject {
      case .ofClass: "class"
      case .ofSet: "set"
      }
    return [
      "agreement": number(tally.agreement), "alpha": number(tally.krippendorffsAlpha().value),
      "kappa": number(tally.fleissKappa().value), "kind": .string(kind), "name": .string(name),
      "photos": JSON(photos), "subject": .string(subject.key.text),
    ]
  }
}
