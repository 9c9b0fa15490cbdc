internal import CairnBase
internal import CairnDocument

/// A reader of photos and labels from an object that ``AnnotatedPhoto/members`` writes.
struct PhotoObjectReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private static let read: Set<String> = [
    "file_name", "file", "image", "photo", "label", "labels", "kind", "keywords", "tags",
    "image_width", "image_height", "title", "caption", "source", "pin", "author", "licence",
    "credit_title", "service", "page", "url",
  ]
  private static let readOfLabels: Set<String> = [
    "label", "class", "confidence", "score", "state", "verdict", "regions", "text", "texts",
    "whole", "annotators", "annotator", "created_at", "updated_at",
  ]
  private static let readOfRegions: Set<String> = [
    "x", "y", "width", "height", "polygons", "crowd", "confidence", "score", "text", "annotator",
  ]

  /// - Parameter coordinate: The photo's location, if recorded outside of the object.
  func read(
    _ object: JSONObject, at coordinate: Coordinate? = nil, _ location: ImportedLocation
  ) throws {
    let file = object.text("file_name", "file", "image")
    let id = object.text("photo").flatMap { PhotoID($0) }
    guard file != nil || id != nil else {
      return try source.problem(location, "“file_name” is missing")
    }
    let bare = ImportedPhoto(file ?? "", id: id, location: location)
    if let photo = try photo(bare, of: object, at: coordinate) { try source.photo(photo) }
  }

  /// Returns a photo with the labels and metadata of an object; nil after reporting a problem.
  func photo(
    _ bare: ImportedPhoto, of object: JSONObject, at coordinate: Coordinate? = nil
  ) throws -> ImportedPhoto? {
    var photo = bare
    let location = photo.location
    photo.extent = PixelExtent(
      width: object["image_width"]?.number, height: object["image_height"]?.number)
    photo.metadata = ImportedMetadata { object.text($0) }
    photo.metadata.pin = ImportedPin(object, at: coordinate, location: location)
    let ofPin = photo.metadata.pin == nil ? [] : ImportedPin.members
    source.ignore(object, but: PhotoObjectReader.read.union(ofPin), of: "photos")
    do {
      for json in object["labels"]?.array ?? object["label"].map({ [$0] }) ?? [] {
        photo.labels += try labels(json)
      }
    } catch let error as DocumentError {
      try source.problem(location, error.message)
      return nil
    }
    for key in ["keywords", "tags"] {
      let words = object[key]?.string?.keywords ?? (object[key]?.array ?? []).compactMap(\.string)
      photo.labels += words.map { ImportedLabel($0) }
    }
    return photo
  }

  // MARK: Labels

  private func labels(_ json: JSON) throws -> [ImportedLabel] {
    if let name = json.string { return [ImportedLabel(name)] }
    if json.isNull { return [] }
    guard let object = json.object, let name = object.text("label", "class") else {
      throw DocumentError(.schema, "a label is neither a name nor an object with “label”")
    }
    // A class's display name comes from its own document.
    source.ignore(object, but: PhotoObjectReader.readOfLabels.union(["name"]), of: "labels")
    var label = ImportedLabel(name)
    try label.takeConfidence(of: object)
    label.text = object.text("text")
    guard let state = (object["state"] ?? object["verdict"] ?? "").string else {
      throw PhotoObjectReader.wrongState
    }
    func take(_ state: String, _ annotators: [String]) throws {
      guard label.take(state: state, annotators: annotators) else {
        throw PhotoObjectReader.wrongState
      }
    }
    let annotators = (object["annotators"]?.array ?? [object["annotator"] ?? .null])
    try take(state, annotators.compactMap(\.string))
    label.time = importedTime(object.text("updated_at", "created_at"))
    let texts = (object["texts"]?.array ?? []).compactMap(\.string)
    let regions = object["regions"]?.array ?? []
    var labels: [ImportedLabel] = texts.map { text in
      var label = label
      label.text = text
      return label
    }
    let labelsWholePhoto = regions.isEmpty || object["whole"]?.bool == true
    if labels.isEmpty, labelsWholePhoto { labels = [label] }
    label.text = nil
    for region in regions {
      guard let region = region.object else { throw PhotoObjectReader.noBox }
      source.ignore(region, but: PhotoObjectReader.readOfRegions, of: "regions")
      if let own = region.text("annotator") { try take(state, [own]) }
      labels.append(try label.on(region))
    }
    return labels
  }

  private static let wrongState = DocumentError(
    .schema, "“state” must be present, absent, confirmed, rejected or predicted")
  fileprivate static let noBox = DocumentError(.schema, "a region without x, y, width or height")
}

extension ImportedLabel {
  /// Reads the confidence from `confidence`, or from a model's `score`.
  fileprivate mutating func takeConfidence(of object: JSONObject) throws {
    guard let given = object["confidence"] ?? object["score"] else { return }
    guard let confidence = given.double, 0...1 ~= confidence else {
      throw DocumentError(.schema, "“confidence” is not between 0 and 1")
    }
    self.confidence = confidence
    isScored = object["confidence"] == nil
  }

  /// Returns this label on a region.
  fileprivate func on(_ region: JSONObject) throws -> ImportedLabel {
    let numbers = ["x", "y", "width", "height"].compactMap { region[$0]?.number }
    guard numbers.count == 4 else { throw PhotoObjectReader.noBox }
    var label = self
    try label.takeConfidence(of: region)
    label.text = region.text("text")
    label.box = .fractions(
      NormalizedRect(
        x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    if let polygons = region["polygons"], !polygons.isNull {
      label.outline = ImportedOutline(try [Polygon](json: polygons), in: .fractions)
    }
    label.isCrowd = region["crowd"]?.bool == true
    return label
  }

  /// Applies a state word: present or absent, and whether a model or a person is the annotator.
  ///
  /// - Parameter annotators: The names of the annotators, for ``attribute(to:)``.
  /// - Returns: False when one annotator's label cannot have this state.
  mutating func take(state word: String, annotators: [String] = []) -> Bool {
    switch word {
    case "", "present": break
    case "absent": isAbsent = true
    case "confirmed": isByPerson = true
    case "rejected": (isByPerson, isAbsent) = (true, true)
    case "predicted": model = ""
    default: return false
    }
    attribute(to: annotators)
    return true
  }
}

extension ImportedMetadata {
  /// - Parameter text: Returns the text of a column; nil if it has none.
  init(_ text: (String) -> String?) {
    self.init()
    title = text("title")
    caption = text("caption")
    source = text("source")
    for key in ["author", "licence", "service", "page", "url"] { credit[key] = text(key) }
    credit["title"] = text("credit_title")
  }
}

extension ImportedPin {
  static let members: Set<String> = ["pin", "pin_name", "latitude", "longitude"]

  /// Creates the pin described by members of a photo; nil when there is none.
  ///
  /// - Parameter coordinate: The pin's location, if recorded outside of the object.
  init?(_ object: JSONObject, at coordinate: Coordinate? = nil, location: ImportedLocation) {
    let given = object["latitude"]?.number.flatMap { latitude in
      object["longitude"]?.number.flatMap { Coordinate(latitude: latitude, longitude: $0) }
    }
    guard let id = object.text("pin").flatMap({ PinID($0) }), let coordinate = coordinate ?? given
    else { return nil }
    self.init(
      id: id, coordinate: coordinate, name: object.text("pin_name") ?? "", location: location)
  }
}
