public import CairnDocument

// How a device writes down what happened: one event a line, as JSON.

extension ReviewEvent {
  public var json: JSON {
    switch self {
    case .did(let step): .object(ReviewEvent.members(step.outcome, step.key, isUndoable: true))
    case .passed(let outcome, let key):
      .object(ReviewEvent.members(outcome, key, isUndoable: false))
    case .undid(let labels, let stamps):
      [
        "did": "undo", "labels": .array(labels.map(\.json)),
        "reopened": ReviewEvent.list(stamps),
      ]
    case .reopened(let stamps): ["did": "reopen", "reopened": ReviewEvent.list(stamps)]
    }
  }

  private static func list(_ stamps: [Stamp]) -> JSON {
    .array(stamps.map { .string($0.description) })
  }

  private static func members(
    _ outcome: ReviewStep.Outcome, _ key: ReviewKey, isUndoable: Bool
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
    case .restored(let stamp):
      object["did"] = "restore"
      object["stamp"] = .string(stamp.description)
    case .said(let changes):
      object["did"] = "say"
      object["changes"] = .array(
        changes.map { ["after": $0.after.json, "before": $0.before?.json ?? .null] })
    }
    return object
  }

  /// Reads an event; nil when it is none, as a line that was torn.
  public init?(json: JSON) {
    func stamps() -> [Stamp]? {
      json["reopened"]?.array?.compactMap { $0.string.flatMap { Stamp($0) } }
    }
    switch json["did"]?.string {
    case "undo":
      guard let stamps = stamps(), let labels = json["labels"]?.array else { return nil }
      self = .undid(labels.compactMap { try? Label(bytes: $0.canonicalBytes) }, stamps)
    case "reopen":
      guard let stamps = stamps() else { return nil }
      self = .reopened(stamps)
    default:
      guard let photo = json["photo"]?.string.flatMap({ PhotoID($0) }),
        let outcome = ReviewStep.Outcome(json)
      else { return nil }
      let key = ReviewKey(
        photo: photo, classKey: json["class"]?.string.flatMap { ClassKey($0) })
      self =
        json["undoable"]?.bool == true
        ? .did(ReviewStep(key, outcome)) : .passed(outcome, key)
    }
  }
}

extension ReviewStep.Outcome {
  fileprivate init?(_ json: JSON) {
    let stamp = json["stamp"]?.string.flatMap { Stamp($0) }
    switch (json["did"]?.string, stamp) {
    case ("skip", let stamp?): self = .skipped(raised: stamp)
    case ("keep", let stamp?): self = .kept(raised: stamp)
    case ("restore", let stamp?): self = .restored(stamp)
    case ("say", nil):
      guard let changes = json["changes"]?.array else { return nil }
      self = .said(changes.compactMap { LabelChange($0) })
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
