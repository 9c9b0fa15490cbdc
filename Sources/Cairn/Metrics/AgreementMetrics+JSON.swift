public import CairnDocument
internal import CairnMetrics

extension AgreementMetrics.BoxRow {
  /// What `cairn agreement --json` prints and `GET /api/metrics/agreement` returns of the boxes of a
  /// class.
  ///
  /// - Parameter person: Returns how a person is written.
  public func json(person: (Annotator) -> String) -> JSON {
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
