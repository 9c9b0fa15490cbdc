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
      try $0.agreement(scope).answer
    }
    return .json(json)
  }
}

private func number(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }

extension AgreementMetrics {
  fileprivate var answer: JSON {
    [
      "boxes": .array(boxes.map { $0.json(person: \.identity) }),
      "overall": .array(
        overall.map {
          [
            "differing": JSON($0.differing), "first": .string($0.first.identity),
            "kappa": number($0.kappa.value), "photos": JSON($0.photos),
            "second": .string($0.second.identity),
          ]
        }),
      "pairs": .array(
        pairs.map {
          [
            "agreement": JSON($0.agreement), "first": .string($0.first.identity),
            "kappa": number($0.kappa.value), "kind": .string($0.subject.kind),
            "name": .string($0.name), "photos": JSON($0.photos),
            "second": .string($0.second.identity), "subject": .string($0.subject.key.text),
          ]
        }), "people": .array(people.map { .string($0.identity) }),
      "subjects": .array(rows.map(\.answer)),
    ]
  }
}

extension AgreementMetrics.Subject {
  fileprivate var kind: String {
    switch self {
    case .ofClass: "class"
    case .ofSet: "set"
    }
  }
}

extension AgreementMetrics.Row {
  fileprivate var answer: JSON {
    [
      "agreement": number(tally.agreement), "alpha": number(tally.krippendorffsAlpha().value),
      "kappa": number(tally.fleissKappa().value), "kind": .string(subject.kind),
      "name": .string(name),
      "photos": JSON(photos), "subject": .string(subject.key.text),
    ]
  }
}
