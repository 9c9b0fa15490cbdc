internal import CairnBase
internal import CairnDocument

/// A reader of Label Studio tasks: annotations are made by people, predictions by models. Source:
/// Label Studio “Label Studio JSON format of annotated tasks”.
struct LabelStudioReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    try source.forEachElement(of: source.onlyFile(), read)
  }

  // Label Studio's own bookkeeping is ignored without a note.
  private static let readOfTasks: Set<String> = [
    "id", "data", "annotations", "predictions", "inner_id", "created_at", "updated_at",
    "updated_by", "project", "file_upload", "total_annotations", "cancelled_annotations",
    "total_predictions", "comment_count", "unresolved_comment_count", "last_comment_updated_at",
  ]
  private static let readOfData: Set<String> = [
    "image", "img", "photo_url", "photo", "title", "caption", "source", "author", "licence",
    "credit_title", "service", "page", "url",
  ]
  private static let readOfAnnotations: Set<String> = [
    "id", "result", "score", "was_cancelled", "model_version", "created_at", "updated_at",
    "draft_created_at", "lead_time", "result_count", "task", "project", "unique_id", "created_ago",
    "import_id", "last_action", "parent_prediction", "parent_annotation", "updated_by",
    "last_created_by", "bulk_created", "model", "model_run", "cluster", "neighbors",
    "mislabeling", "completed_by", "created_username", "ground_truth", "prediction",
  ]
  private static let readOfResults: Set<String> = [
    "id", "type", "value", "score", "from_name", "to_name", "origin", "original_width",
    "original_height", "image_rotation", "readonly", "hidden",
  ]

  private static let types: Set<String> = [
    "choices", "rectanglelabels", "polygonlabels", "brushlabels",
  ]

  private func read(_ task: JSON, _ location: ImportedLocation) throws {
    guard let data = task["data"]?.object, let address = data.text("image", "img", "photo_url")
    else { return try source.problem(location, "a task without an “image”") }
    let files = files(address)
    var photo = ImportedPhoto(
      files[0], id: data.text("photo").flatMap { PhotoID($0) }, location: location)
    photo.otherFiles = Array(files.dropFirst())
    photo.formerFile = formerName(photo.file)
    photo.metadata = ImportedMetadata { data.text($0) }
    photo.metadata.pin = ImportedPin(data, location: location)
    let ofPin = photo.metadata.pin == nil ? [] : ImportedPin.members
    source.ignore(data, but: LabelStudioReader.readOfData.union(ofPin), of: "data")
    source.ignore(task.object ?? [:], but: LabelStudioReader.readOfTasks, of: "tasks")
    for annotation in task["annotations"]?.array ?? [] {
      if annotation["was_cancelled"]?.bool == true {
        source.ignore("canceled annotations")
        continue
      }
      try read(annotation, model: nil, of: &photo)
    }
    for prediction in task["predictions"]?.array ?? [] {
      try read(prediction, model: prediction["model_version"]?.string ?? "", of: &photo)
    }
    try source.photo(photo)
  }

  /// Returns the path of a file that Label Studio serves, or the paths that the image of a URL may
  /// have.
  private func files(_ address: String) -> [String] {
    if let mark = address.firstRange(of: "?d=") {
      return [address[mark.upperBound...].percentDecoded]
    }
    if address.hasPrefix("/data/") { return ImageNames.ends(ofURL: "file:/\(address)") }
    return address.contains("://")
      ? ImageNames.ends(ofURL: address) : [address[...].percentDecoded]
  }

  /// Returns the original name of an uploaded file: Label Studio prefixes it with eight hexadecimal
  /// digits and a hyphen. Source: `label_studio/data_import/models.py`.
  private func formerName(_ file: String) -> String? {
    let name = file.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let parts = name.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit) else {
      return nil
    }
    return String(parts[1])
  }

  /// Reads the labels of an annotation or a prediction.
  private func read(_ annotation: JSON, model: String?, of photo: inout ImportedPhoto) throws {
    source.ignore(
      annotation.object ?? [:], but: LabelStudioReader.readOfAnnotations, of: "annotations")
    let results = annotation["result"]?.array ?? []
    let annotator = model == nil ? LabelStudioReader.annotator(of: annotation) : nil
    let time = importedTime(annotation.object?.text("updated_at", "created_at"))
    let regions = Set(
      results.filter { $0["type"]?.string != "choices" }.compactMap { $0["id"]?.string })
    for result in results {
      guard let type = result["type"]?.string, let value = result["value"]?.object else {
        try source.problem(photo.location, "a result without “type” or “value”")
        continue
      }
      guard LabelStudioReader.types.contains(type) else {
        try source.problem(
          photo.location, "a result of the type “\(type.prefix(64))”, which is not imported")
        continue
      }
      // It has the coordinates or the id of its region.
      let isOfRegion = value["x"] != nil || regions.contains(result["id"]?.string ?? "")
      if type == "choices", isOfRegion {
        try source.problem(photo.location, "a choice for a box, which is not imported")
        continue
      }
      let names = value[type]?.array?.compactMap(\.string) ?? []
      if names.isEmpty {
        try source.problem(photo.location, "a result of the type “\(type)” without a class")
        continue
      }
      source.ignore(result.object ?? [:], but: LabelStudioReader.readOfResults, of: "results")
      let extent = PixelExtent(
        width: result["original_width"]?.number, height: result["original_height"]?.number)
      photo.extent = photo.extent ?? extent
      if type != "choices", (result["image_rotation"]?.number ?? 0) != 0 {
        try source.problem(photo.location, "a region on a rotated image")
        continue
      }
      var box: ImportedBox?
      var outline: ImportedOutline?
      switch type {
      case "polygonlabels": outline = ImportedOutline(labelStudioPolygon: value)
      case "brushlabels": outline = ImportedOutline(labelStudioBrush: value, size: extent)
      default: break
      }
      if ["polygonlabels", "brushlabels"].contains(type), outline == nil {
        let what =
          type == "polygonlabels"
          ? "a polygon without three points" : "a mask that is empty or does not fill its image"
        try source.problem(photo.location, what)
        continue
      }
      if type == "rectanglelabels" {
        (box, outline) = rectangle(value, extent)
        if box == nil, outline == nil {
          try source.problem(
            photo.location,
            "a rectangle without four numbers, or rotated on an image without a size")
          continue
        }
      }
      let score = result["score"].flatMap { $0.isNull ? nil : $0 } ?? annotation["score"]
      let confidence = score?.double
      if let confidence, !(0...1 ~= confidence) {
        try source.problem(photo.location, "“score” is not between 0 and 1")
        continue
      }
      for name in names {
        var label = ImportedLabel(name, box: box, confidence: confidence)
        label.outline = outline
        (label.model, label.isByPerson) = (model, model == nil)
        (label.annotator, label.time) = (annotator, time)
        photo.labels.append(label)
      }
    }
  }

  /// Returns the person who made an annotation; nil when the file does not say. `completed_by` is
  /// the id of a user of Label Studio, or an object with the id and the email address.
  private static func annotator(of annotation: JSON) -> ImportedAnnotator? {
    let by = annotation["completed_by"]
    if let object = by?.object {
      let name = [object.text("first_name"), object.text("last_name")].compactMap { $0 }
      return ImportedAnnotator(
        object.text("email"), object["id"]?.int.map(String.init), object.text("id", "username"),
        name.joined(separator: " "))
    }
    if let known = ImportedAnnotator(by?.int.map(String.init), by?.string) { return known }
    // “ann@example.org, 1”
    let user = annotation["created_username"]?.string?.split(separator: ",").first
    return ImportedAnnotator(user.map(String.init))
  }

  /// Returns a rectangle, which the file has in percent of the image; its outline if it is rotated
  /// clockwise about its top left corner.
  ///
  /// Source: Label Studio “Units of image annotations”, “Rotation”.
  private func rectangle(
    _ value: JSONObject, _ extent: PixelExtent?
  ) -> (box: ImportedBox?, outline: ImportedOutline?) {
    let numbers = ["x", "y", "width", "height"].compactMap { value[$0]?.number.map { $0 / 100 } }
    guard numbers.count == 4 else { return (nil, nil) }
    let box = NormalizedRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    guard let angle = value["rotation"]?.number, angle != 0 else { return (.fractions(box), nil) }
    // Angles are those of the picture, not of its square of fractions.
    guard let extent else { return (nil, nil) }
    let corner = Polygon.Point(x: box.x * extent.width, y: box.y * extent.height)
    let corners = [(0, 0), (box.width, 0), (box.width, box.height), (0, box.height)].map {
      Polygon.Point(x: corner.x + $0 * extent.width, y: corner.y + $1 * extent.height)
        .rotated(about: corner, degrees: angle)
    }
    let fractions = corners.map { Polygon.Point(x: $0.x / extent.width, y: $0.y / extent.height) }
    return (nil, ImportedOutline([Polygon(outer: fractions)], in: .fractions))
  }
}
