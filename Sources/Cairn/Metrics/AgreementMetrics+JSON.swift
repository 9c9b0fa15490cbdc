public import CairnDocument
internal import CairnMerge
internal import CairnMetrics

extension AgreementMetrics {
  /// What `cairn agreement --json` prints. Metrics.md documents the members.
  public var json: JSON {
    [
      "boxes": .array(boxes.map { $0.json(person: \.description) }),
      "pairs": .array(pairs.map(\.json)),
      "people": .array(people.map { .string($0.description) }),
      "rows": .array(rows.map(\.json)),
    ]
  }
}

extension AgreementMetrics.Row {
  fileprivate var json: JSON {
    let (fleiss, alpha) = (fleissKappa, krippendorffsAlpha)
    return .object(
      JSONObject([
        subject.member, ("agreement", optional(agreement)),
        ("alpha", alpha.json), ("alphaUndefined", JSON(alpha.reason?.rawValue)),
        ("fleissKappa", fleiss.json),
        ("fleissPhotos", JSON(fleissPhotos)),
        ("fleissRatings", JSON(fleissRatings)),
        ("fleissUndefined", JSON(fleiss.reason?.rawValue)), ("name", .string(name)),
        ("people", JSON(people)), ("photos", JSON(photos)),
        ("ratedPhotos", JSON(ratedPhotos)), ("ratings", JSON(ratings)),
      ]))
  }
}

extension AgreementMetrics.AnnotatorPair {
  fileprivate var json: JSON {
    .object(
      JSONObject([
        subject.member, ("agreement", JSON(agreement)), ("kappa", kappa.json),
        ("kappaUndefined", JSON(kappa.reason?.rawValue)), ("name", .string(name)),
        ("people", .array([.string(first.description), .string(second.description)])),
        ("photos", JSON(photos)),
      ]))
  }
}

extension AgreementMetrics.Subject {
  fileprivate var member: (String, JSON) {
    switch self {
    case .ofClass(let key): ("class", .string(key.text))
    case .ofSet(let key): ("set", .string(key.text))
    }
  }
}

extension Coefficient {
  fileprivate var json: JSON { optional(value) }
}

extension AgreementMetrics.BoxRow {
  /// What `cairn agreement --json` prints and `GET /api/metrics/agreement` returns of the boxes of a
  /// class.
  ///
  /// - Parameter person: Returns how a person is written.
  package func json(person: (Annotator) -> String) -> JSON {
    [
      "agreement": optional(sum.agreement), "class": .string(classKey.text),
      "name": .string(name), "overlap": optional(sum.overlap),
      "pairs": .array(
        pairs.map { pair in
          [
            "agreement": optional(pair.boxes.agreement),
            "boxes": [JSON(pair.boxes.first), JSON(pair.boxes.second)],
            "matched": JSON(pair.boxes.matched), "overlap": optional(pair.boxes.overlap),
            "people": [.string(person(pair.first)), .string(person(pair.second))],
            "photos": JSON(pair.boxes.photos),
          ]
        }), "photos": JSON(photos),
    ]
  }
}

private func optional(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }
