internal import CairnDocument
internal import CairnReview

// The log format of a device's review events: one JSON object per line.

extension ReviewEvent {
  var json: JSON {
    switch self {
    case .step(let step): .object(ReviewEvent.members(step))
    case .dismissed(let outcome, let key):
      .object(ReviewEvent.members(outcome, key, isUndoable: false))
    case .undone(let restated): ["did": "undo", "resaid": .array(restated.map(\.json))]
    case .restated(let restated): ["did": "resay", "resaid": .array(restated.map(\.json))]
    }
  }

  private static func members(_ step: UndoStep) -> JSONObject {
    var object = members(step.outcome, step.key, isUndoable: true)
    object["raised"] = .string(step.item.raised.description)
    object["doubts"] = .array(
      step.item.reasons.map {
        ["because": .string($0.text), "reason": .string($0.reason.rawValue)]
      })
    return object
  }

  private static func members(
    _ outcome: UndoStep.Outcome, _ key: ReviewKey, isUndoable: Bool
  ) -> JSONObject {
    var object: JSONObject = [
      "class": JSON(key.classKey?.text), "photo": .string(key.photo.description),
      "undoable": .bool(isUndoable),
    ]
    switch outcome {
    case .skipped(let raised):
      object["did"] = "skip"
      object["stamp"] = .string(raised.description)
    case .kept(let raised):
      object["did"] = "keep"
      object["stamp"] = .string(raised.description)
    case .restored(let stamp, let removed):
      object["did"] = "restore"
      object["stamp"] = .string(stamp.description)
      object["removed"] = .string(removed.description)
    case .labeled(let changes):
      object["did"] = "say"
      object["changes"] = .array(
        changes.map { ["after": $0.after.json, "before": $0.before?.json ?? .null] })
    }
    return object
  }

  /// Parses an event; nil if it is invalid, such as an incomplete line.
  init?(json: JSON) {
    let restated = json["resaid"]?.array?.compactMap { Restatement($0) } ?? []
    switch json["did"]?.string {
    case "undo": self = .undone(restated)
    case "resay": self = .restated(restated)
    default:
      guard let photo = json["photo"]?.string.flatMap({ PhotoID($0) }),
        let outcome = UndoStep.Outcome(json)
      else { return nil }
      let key = ReviewKey(
        photo: photo, classKey: json["class"]?.string.flatMap { ClassKey($0) })
      self =
        json["undoable"]?.bool == true
        ? .step(UndoStep(ReviewItem(key, json), outcome)) : .dismissed(outcome, key)
    }
  }
}

extension ReviewItem {
  fileprivate init(_ key: ReviewKey, _ json: JSON) {
    // A version of the program wrote “suspects”.
    let details = (json["doubts"] ?? json["suspects"])?.array
    let reasons = details?.compactMap { ReviewReasonDetail($0) } ?? []
    self.init(key: key, reasons: reasons, raised: json.stamp("raised") ?? .never)
  }
}

extension ReviewReasonDetail {
  fileprivate init?(_ json: JSON) {
    guard let reason = json["reason"]?.string.flatMap(ReviewReason.init(rawValue:)),
      let text = json["because"]?.string
    else { return nil }
    self = .logged(reason, text: text)
  }
}

extension Restatement {
  fileprivate var json: JSON {
    ["stamp": .string(stamp.description), "was": .string(was.description)]
  }

  fileprivate init?(_ json: JSON) {
    guard let stamp = json.stamp("stamp"), let was = json.stamp("was") else { return nil }
    self.init(stamp, was: was)
  }
}

extension JSON {
  fileprivate func stamp(_ key: String) -> Stamp? { self[key]?.string.flatMap { Stamp($0) } }
}

extension UndoStep.Outcome {
  fileprivate init?(_ json: JSON) {
    switch (json["did"]?.string, json.stamp("stamp")) {
    case ("skip", let stamp?): self = .skipped(raised: stamp)
    case ("keep", let stamp?): self = .kept(raised: stamp)
    case ("restore", let stamp?):
      guard let removed = json.stamp("removed") else { return nil }
      self = .restored(stamp, removed: removed)
    case ("say", nil):
      guard let changes = json["changes"]?.array else { return nil }
      self = .labeled(changes.compactMap { LabelChange($0) })
    default: return nil
    }
  }
}

extension LabelChange {
  fileprivate init?(_ json: JSON) {
    func label(_ key: String) -> Label? {
      json[key].flatMap { try? Label(bytes: $0.canonicalBytes) }
    }
    guard let after = label("after"), json["before"]?.isNull == true || label("before") != nil
    else { return nil }
    self.init(before: label("before"), after: after)
  }
}
