internal import CairnDocument

/// A reader of KITTI's label files: a row per object, beside the images in another directory.
///
/// Reads columns 1 and 5 to 8, the class and the box, and column 16, a model's score. Source: KITTI
/// “Object development kit”, `readme.txt`; the directories also of TAO and FiftyOne.
struct KITTIReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The directories of labels, with those of their images.
  private static let directories = [
    "label_2": ["image_2"], "label_3": ["image_3"], "label_02": ["image_02"],
    "labels": ["images", "data", "image_2"], "label": ["image", "images"],
  ]

  func read() throws {
    let paths: [String]
    if let file = source.file {
      paths = [file]
    } else {
      paths = try source.paths(["txt"]).filter { path in
        let parent = path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        return KITTIReader.directories[parent] != nil
      }
    }
    if paths.isEmpty {
      throw FormatError(source.location, "it contains no file in label_2 or labels")
    }
    let images = try ImageStems(source)
    for path in paths { try read(path, images) }
  }

  /// Returns the photo of a label file: an image in a parallel directory or, if there is no such
  /// directory, the only one of its name.
  private func photo(_ path: String, _ images: ImageStems) -> ImportedPhoto {
    let (stem, location) = (ImageStems.stem(of: path), ImportedLocation(path))
    var parts = stem.split(separator: "/").map(String.init)
    let directory = parts.count > 1 ? parts[parts.count - 2] : ""
    let stems = (KITTIReader.directories[directory] ?? []).map { other in
      parts[parts.count - 2] = other
      return parts.joined(separator: "/")
    }
    for stem in stems {
      if let image = images[stem] { return ImportedPhoto(image, location: location) }
    }
    if let stem = stems.first(where: images.hasDirectory) {
      return ImageStems.missingPhoto(stem, location)
    }
    var photo = images.photo(parts.last ?? stem, location)
    photo.fullName = stem
    return photo
  }

  private func read(_ path: String, _ images: ImageStems) throws {
    var photo = photo(path, images)
    try source.forEachTextLine(of: path) { line, location in
      let cells = line.split {
        $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n"
      }
      guard cells.count == 15 || cells.count == 16 else {
        return try source.problem(
          location, "\(cells.count) columns, but an object has 15, or 16 with its score")
      }
      guard cells[0] != "DontCare" else { return source.ignore("“DontCare” regions") }
      let corners = cells[4...7].compactMap { Double($0) }.filter(\.isFinite)
      guard corners.count == 4 else {
        return try source.problem(location, "the box has a column that is not a number")
      }
      var label = ImportedLabel(
        String(cells[0]),
        box: .pixels(
          x: corners[0], y: corners[1], width: corners[2] - corners[0],
          height: corners[3] - corners[1]))
      if cells.count == 16 {
        // Scores have no scale: only those between 0 and 1 are confidences.
        guard let score = Double(cells[15]), 0...1 ~= score else {
          return try source.problem(location, "the score is not between 0 and 1")
        }
        (label.confidence, label.isScored) = (score, true)
      }
      count(cells)
      photo.labels.append(label)
    }
    try source.photo(photo)
  }

  /// Counts the columns that are not imported and have a value: -1, 0 and -10 are empty ones.
  private func count(_ cells: [Substring]) {
    func value(_ index: Int) -> Double { Double(cells[index]) ?? 0 }
    if value(1) > 0 { source.ignore("“truncated” of objects") }
    if value(2) > 0 { source.ignore("“occluded” of objects") }
    if cells[8...10].contains(where: { (Double($0) ?? 0) > 0 }) {
      source.ignore("the 3D position and size of objects")
    }
  }
}
