internal import CairnDocument

/// A JSON object a line for each photo, with a list of labels: names, or objects with `label`,
/// `confidence`, `state` and `regions`.
struct JSONLinesReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.forEachLine(of: path) { line, place in
      do {
        guard let object = try JSON(bytes: line).object else {
          return try source.problem(place, "not an object")
        }
        try PhotoMembers(source).read(object, place)
      } catch let error as DocumentError {
        try source.problem(place, error.message)
      }
    }
  }
}

/// Reads a photo with its labels from the members that ``AnnotatedPhoto/members`` gives it.
struct PhotoMembers {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  private static let read: Set<String> = [
    "file_name", "file", "image", "photo", "label", "labels", "kind",
  ]
  private static let readOfLabels: Set<String> = [
    "label", "class", "confidence", "score", "state", "verdict", "regions",
  ]

  func read(_ object: JSONObject, _ place: ForeignPlace) throws {
    let file = object.text("file_name", "file", "image")
    let id = object.text("photo").flatMap { PhotoID($0) }
    guard file != nil || id != nil else {
      return try source.problem(place, "“file_name” is missing")
    }
    for (key, _) in object.members where !PhotoMembers.read.contains(key) {
      try source.note("What is not imported: “\(key.prefix(64))”.")
    }
    var labels: [ForeignLabel] = []
    do {
      for json in object["labels"]?.array ?? object["label"].map({ [$0] }) ?? [] {
        labels += try read(json, place)
      }
    } catch let error as DocumentError {
      return try source.problem(place, error.message)
    }
    try source.photo(ForeignPhoto(file ?? "", id: id, labels: labels, place: place))
  }

  private func read(_ json: JSON, _ place: ForeignPlace) throws -> [ForeignLabel] {
    if let name = json.string { return [ForeignLabel(name)] }
    if json.isNull { return [] }
    guard let object = json.object, let name = object.text("label", "class") else {
      throw DocumentError(.schema, "a label is neither a name nor an object with “label”")
    }
    for (key, _) in object.members where !PhotoMembers.readOfLabels.contains(key) {
      try source.note("What is not imported of labels: “\(key.prefix(64))”.")
    }
    var label = ForeignLabel(name)
    if let given = object["confidence"] ?? object["score"] {
      guard let confidence = given.double, 0...1 ~= confidence else {
        throw DocumentError(.schema, "“confidence” is not between 0 and 1")
      }
      label.confidence = confidence
    }
    let word = object["state"] ?? object["verdict"] ?? ""
    let annotators = (object["annotators"]?.array ?? []).compactMap(\.string)
    guard let word = word.string,
      label.take(state: word, annotators: annotators.map { $0[...] })
    else { throw DocumentError(.schema, "“state” is not what one annotator can say") }
    let regions = object["regions"]?.array ?? []
    if regions.isEmpty { return [label] }
    return try regions.map { region in
      guard let x = region["x"]?.number, let y = region["y"]?.number,
        let width = region["width"]?.number, let height = region["height"]?.number
      else { throw DocumentError(.schema, "a region has no x, y, width and height") }
      var label = label
      label.box = .fractions(x: x, y: y, width: width, height: height)
      return label
    }
  }
}
