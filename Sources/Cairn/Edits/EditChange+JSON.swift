internal import CairnDocument
internal import CairnReview

// One change as a line of the log.

extension EditChange {
  var json: JSON {
    switch self {
    case .label(let change):
      ["after": change.after.json, "before": change.before?.json ?? .null]
    case .photo(let photo, let field, let before, let after):
      [
        "after": after, "before": before, "field": .string(field.rawValue),
        "photo": .string(photo.description),
      ]
    case .pin(let pin, let field, let before, let after):
      [
        "after": after, "before": before, "field": .string(field.rawValue),
        "pin": .string(pin.text),
      ]
    case .run(let run, let isWithdrawn):
      ["run": .string(run.text), "withdrawn": .bool(isWithdrawn)]
    case .review(nil): ["review": true]
    case .review(let answer?):
      [
        "answer": [
          "class": JSON(answer.key.classKey?.text), "photo": .string(answer.key.photo.description),
          "stamps": .array(answer.stamps.map { .string($0.description) }),
        ], "review": true,
      ]
    }
  }

  /// Parses a change; nil if it is invalid.
  init?(_ json: JSON) {
    if json["review"]?.bool == true {
      self = .review(json["answer"].flatMap { ReviewAnswerID($0) })
    } else if let run = json["run"]?.string.flatMap({ RunID($0) }),
      let isWithdrawn = json["withdrawn"]?.bool
    {
      self = .run(run, isWithdrawn: isWithdrawn)
    } else if let after = json["after"], let before = json["before"] {
      let field = json["field"]?.string
      if let photo = json["photo"]?.string.flatMap({ PhotoID($0) }),
        let field = field.flatMap(PhotoField.init(rawValue:))
      {
        self = .photo(photo, field, before: before, after: after)
      } else if let pin = json["pin"]?.string.flatMap({ PinID($0) }),
        let field = field.flatMap(PinField.init(rawValue:))
      {
        self = .pin(pin, field, before: before, after: after)
      } else if let label = try? Label(bytes: after.canonicalBytes) {
        let old = try? Label(bytes: before.canonicalBytes)
        guard old != nil || before.isNull else { return nil }
        self = .label(LabelChange(before: old, after: label))
      } else {
        return nil
      }
    } else {
      return nil
    }
  }
}

extension ReviewAnswerID {
  fileprivate init?(_ json: JSON) {
    guard let photo = json["photo"]?.string.flatMap({ PhotoID($0) }) else { return nil }
    let key = ReviewKey(photo: photo, classKey: json["class"]?.string.flatMap { ClassKey($0) })
    let stamps = json["stamps"]?.array ?? []
    self.init(key: key, stamps: stamps.compactMap { $0.string.flatMap { Stamp($0) } })
  }
}
