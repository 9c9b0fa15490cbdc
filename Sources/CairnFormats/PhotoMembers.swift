internal import CairnDocument

/// Reads a photo with its labels from the members that ``AnnotatedPhoto/members`` gives it.
struct PhotoMembers {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  private static let read: Set<String> = [
    "file_name", "file", "image", "photo", "label", "labels", "kind", "keywords", "tags",
    "image_width", "image_height", "title", "caption", "source", "pin", "author", "licence",
    "credit_title", "service", "page", "url",
  ]
  private static let readOfLabels: Set<String> = [
    "label", "class", "confidence", "score", "state", "verdict", "regions", "text", "texts",
    "whole",
    "annotators",
  ]
  private static let readOfRegions: Set<String> = [
    "x", "y", "width", "height", "confidence", "score", "text", "annotator",
  ]

  /// - Parameter location: Where it is, where that stands elsewhere.
  func read(_ object: JSONObject, at location: Coordinate? = nil, _ place: ForeignPlace) throws {
    let file = object.text("file_name", "file", "image")
    let id = object.text("photo").flatMap { PhotoID($0) }
    guard file != nil || id != nil else {
      return try source.problem(place, "“file_name” is missing")
    }
    var photo = ForeignPhoto(file ?? "", id: id, place: place)
    photo.extent = PixelExtent(
      width: object["image_width"]?.number, height: object["image_height"]?.number)
    photo.about = ForeignAbout { object.text($0) }
    photo.about.pin = ForeignPin(object, at: location, place: place)
    let ofPin = photo.about.pin == nil ? [] : ForeignPin.members
    source.ignore(object, but: PhotoMembers.read.union(ofPin), of: "photos")
    do {
      for json in object["labels"]?.array ?? object["label"].map({ [$0] }) ?? [] {
        photo.labels += try labels(json)
      }
    } catch let error as DocumentError {
      return try source.problem(place, error.message)
    }
    for key in ["keywords", "tags"] {
      let words = object[key]?.string?.keywords ?? (object[key]?.array ?? []).compactMap(\.string)
      photo.labels += words.map { ForeignLabel($0) }
    }
    try source.photo(photo)
  }

  // MARK: Labels

  private func labels(_ json: JSON) throws -> [ForeignLabel] {
    if let name = json.string { return [ForeignLabel(name)] }
    if json.isNull { return [] }
    guard let object = json.object, let name = object.text("label", "class") else {
      throw DocumentError(.schema, "a label is neither a name nor an object with “label”")
    }
    // What people call a class is told by its own document.
    source.ignore(object, but: PhotoMembers.readOfLabels.union(["name"]), of: "labels")
    var label = ForeignLabel(name)
    try label.takeConfidence(of: object)
    label.text = object.text("text")
    guard let state = (object["state"] ?? object["verdict"] ?? "").string else {
      throw PhotoMembers.wrongState
    }
    func take(_ state: String, _ annotators: [String]) throws {
      guard label.take(state: state, annotators: annotators.map { $0[...] }) else {
        throw PhotoMembers.wrongState
      }
    }
    let annotators = (object["annotators"]?.array ?? []).compactMap(\.string)
    try take(state, annotators)
    let texts = (object["texts"]?.array ?? []).compactMap(\.string)
    let regions = object["regions"]?.array ?? []
    var labels: [ForeignLabel] = texts.map { text in
      var label = label
      label.text = text
      return label
    }
    let isOfWhole = regions.isEmpty || object["whole"]?.bool == true
    if labels.isEmpty, isOfWhole { labels = [label] }
    label.text = nil
    for region in regions {
      guard let region = region.object else { throw PhotoMembers.noBox }
      source.ignore(region, but: PhotoMembers.readOfRegions, of: "regions")
      if let own = region.text("annotator") { try take(state, [own]) }
      labels.append(try label.on(region))
    }
    return labels
  }

  private static let wrongState = DocumentError(
    .schema, "“state” is not what one annotator can say")
  fileprivate static let noBox = DocumentError(.schema, "a region has no x, y, width and height")
}

extension ForeignLabel {
  /// Takes `confidence`, or `score`, which is a model's.
  fileprivate mutating func takeConfidence(of object: JSONObject) throws {
    guard let given = object["confidence"] ?? object["score"] else { return }
    guard let confidence = given.double, 0...1 ~= confidence else {
      throw DocumentError(.schema, "“confidence” is not between 0 and 1")
    }
    self.confidence = confidence
    isScored = object["confidence"] == nil
  }

  /// Returns this label on a region.
  fileprivate func on(_ region: JSONObject) throws -> ForeignLabel {
    let numbers = ["x", "y", "width", "height"].compactMap { region[$0]?.number }
    guard numbers.count == 4 else { throw PhotoMembers.noBox }
    var label = self
    try label.takeConfidence(of: region)
    label.text = region.text("text")
    label.box = .fractions(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    return label
  }

  /// Takes what a word says of it: that the class is there or not, and whether a model or people say so.
  ///
  /// - Parameter annotators: Who says so, as exports write them: `human:…`, `model:…`.
  /// - Returns: False when the word says nothing that one annotator can mean.
  mutating func take(state word: String, annotators: [Substring] = []) -> Bool {
    switch word {
    case "", "present": return true
    case "absent": isAbsent = true
    case "confirmed": isPersons = true
    case "rejected": (isPersons, isAbsent) = (true, true)
    case "predicted":
      let models = annotators.filter { $0.hasPrefix("model:") }
      model = models.count == 1 ? String(models[0].dropFirst("model:".count)) : ""
    default: return false
    }
    return true
  }
}

extension ForeignAbout {
  /// - Parameter text: Returns the text of a column; nil where there is none.
  init(_ text: (String) -> String?) {
    self.init()
    title = text("title")
    caption = text("caption")
    source = text("source")
    for key in ["author", "licence", "service", "page", "url"] { credit[key] = text(key) }
    credit["title"] = text("credit_title")
  }
}

extension ForeignPin {
  static let members: Set<String> = ["pin", "pin_name", "latitude", "longitude"]

  /// Makes the pin that members of a photo name; nil when they name none.
  ///
  /// - Parameter location: Where it is, where that stands elsewhere.
  init?(_ object: JSONObject, at location: Coordinate? = nil, place: ForeignPlace) {
    let given = object["latitude"]?.number.flatMap { latitude in
      object["longitude"]?.number.flatMap { Coordinate(latitude: latitude, longitude: $0) }
    }
    guard let id = object.text("pin").flatMap({ PinID($0) }), let location = location ?? given
    else { return nil }
    self.init(id: id, location: location, name: object.text("pin_name") ?? "", place: place)
  }
}
