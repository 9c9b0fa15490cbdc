internal import CairnBase
internal import CairnDocument

/// A reader of boxes and polygons in text files, and of class names in a YAML file, `classes.txt` or
/// Darknet's `obj.names`. The YAML file is the one that is given, `data.yaml`, or the only one.
///
/// The labels of `…/images/….jpg` are `…/labels/….txt`, wherever the two directories are: at the
/// top, as in Ultralytics' layout, or below a directory per split, as in Roboflow's. Without a
/// `labels` directory, they are beside the images. Source: Ultralytics “Object Detection Datasets”,
/// “Pose Estimation Datasets” and `img2label_paths` of `data/utils.py`.
struct YOLOReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    if let file = source.file, !YOLOReader.isYAML(file) {
      throw FormatError(
        ImportedLocation(file), "it is neither a directory nor a YAML file with class names")
    }
    let darknet = try DarknetProject(source)
    let classes = try classes(darknet)
    // A list names images that are not in this directory.
    let images = try images().merging(darknet?.images ?? [:]) { found, _ in found }
    let texts = try source.paths(["txt"]).filter { path in
      if darknet?.lists.contains(path) == true { return false }
      return !isList(path) || images[imageStem(stem(path))] != nil
    }
    var files = texts.filter { $0.split(separator: "/").dropLast().contains("labels") }
    if files.isEmpty { files = texts.filter { images[stem($0)] != nil } }
    let taken = Set(files)
    for path in texts where !taken.contains(path) {
      source.ignore("“\(path.prefix(200))”, which is not the label file of an image")
    }
    var labeled: Set<String> = []
    for path in files {
      let stem = imageStem(stem(path))
      labeled.insert(stem)
      try read(path, image: images[stem] ?? stem, classes)
    }
    for (stem, path) in images.sorted(by: { $0.value.precedesInUTF8($1.value) })
    where !labeled.contains(stem) {
      try source.photo(ImportedPhoto(path, location: ImportedLocation(path)))
    }
  }

  /// Returns the paths of images by path without extension, which labels refer to.
  private func images() throws -> [String: String] {
    var images: [String: String] = [:]
    for path in try source.paths(imageExtensions) {
      if let other = images[stem(path)] {
        try source.problem(
          ImportedLocation(path),
          "it has the same label file as \(other), which differs only in the extension")
      } else {
        images[stem(path)] = path
      }
    }
    return images
  }

  /// Returns whether a text file is one of those usually found beside labels.
  private func isList(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    return ["classes.txt", "train.txt", "val.txt", "test.txt"].contains(name)
      || name.hasPrefix("readme")
  }

  /// Returns a path without the extension.
  private func stem(_ path: String) -> String {
    path.lastIndex(of: ".").map { String(path[..<$0]) } ?? path
  }

  /// Returns the path without extension of a label file's image: the last directory `labels` is
  /// replaced by `images`.
  private func imageStem(_ stem: String) -> String {
    var components = stem.split(separator: "/")
    if let index = components.dropLast().lastIndex(of: "labels") { components[index] = "images" }
    return components.joined(separator: "/")
  }

  private func read(_ path: String, image: String, _ classes: Classes) throws {
    var photo = ImportedPhoto(image, location: ImportedLocation(path))
    var rows: Set<[Double]> = []
    try source.forEachTextLine(of: path) { line, location in
      let cells = line.split {
        $0 == " " || $0 == "\t" || $0 == "\r"
      }
      guard let number = cells.first.flatMap({ Int($0) }), let name = classes.names[number] else {
        return try source.problem(
          location, "“\(cells.first?.prefix(32) ?? "")” is not the number of a class")
      }
      guard cells.count >= 5 else {
        return try source.problem(
          location,
          "\(cells.count) columns, but a box has 5, or 6 with its confidence, and a polygon more")
      }
      let numbers = cells.dropFirst().compactMap { Double($0) }.filter(\.isFinite)
      guard numbers.count == cells.count - 1 else {
        return try source.problem(location, "a column is not a number")
      }
      var label = ImportedLabel(name)
      let hasScore: Bool
      if let points = classes.keyPointNumbers, numbers.count > 5 {
        guard 0...1 ~= numbers.count - 4 - points else {
          return try source.problem(
            location,
            "\(cells.count) columns, but with this “kpt_shape”, an object has \(5 + points)")
        }
        source.ignore("the key points of objects")
        hasScore = numbers.count > 4 + points
      } else {
        hasScore = !numbers.count.isMultiple(of: 2)
      }
      if numbers.count > 5, classes.keyPointNumbers == nil {
        // A segment: x, y, x, y, … of the points.
        let count = numbers.count / 2 * 2
        label.outline = ImportedOutline([Polygon(flat: Array(numbers[..<count]))], in: .fractions)
      } else {
        label.box = .fractions(
          NormalizedRect(
            x: numbers[0] - numbers[2] / 2, y: numbers[1] - numbers[3] / 2, width: numbers[2],
            height: numbers[3]))
      }
      // The last number is a model's score.
      if hasScore, let score = numbers.last {
        guard 0...1 ~= score else {
          return try source.problem(location, "the confidence is not between 0 and 1")
        }
        (label.confidence, label.isScored) = (score, true)
      }
      // Duplicate rows are merged, as in Ultralytics' reader.
      if rows.insert([Double(number)] + numbers).inserted { photo.labels.append(label) }
    }
    try source.photo(photo)
  }

  // MARK: Classes

  private struct Classes {
    var names: [Int: String]
    /// The number of the numbers that a row has for its key points; nil when rows have none.
    var keyPointNumbers: Int?
  }

  private static func isYAML(_ name: String) -> Bool {
    name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  private func classes(_ darknet: DarknetProject?) throws -> Classes {
    for path in source.file.map({ [$0] }) ?? ["data.yaml", "dataset.yaml"] {
      if let classes = try classes(inYAML: path) { return classes }
    }
    for path in ["classes.txt", "labels/classes.txt"] {
      guard let lines = try source.lines(of: path) else { continue }
      // An empty line counts as a number.
      return Classes(names: Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($0, $1) }))
    }
    if let darknet, !darknet.names.isEmpty { return Classes(names: darknet.names) }
    let others = try source.names(in: "", areDirectories: false).filter(YOLOReader.isYAML)
    if others.count == 1, let classes = try classes(inYAML: others[0]) { return classes }
    throw FormatError(
      source.location, "it contains neither data.yaml nor classes.txt nor obj.names",
      hint: others.count > 1 ? "Give the path of the YAML file with the class names." : nil)
  }

  /// Returns the classes of a YAML file; nil when it does not exist.
  private func classes(inYAML path: String) throws -> Classes? {
    guard let bytes = try source.read(path) else { return nil }
    let file = try ClassYAML(bytes, path: path)
    for key in file.others where !["nc", "path", "train", "val", "test"].contains(key) {
      source.ignore("“\(key.prefix(64))” of \(path)")
    }
    guard !file.names.isEmpty else {
      throw FormatError(ImportedLocation(path), "it contains no class names")
    }
    return Classes(names: file.names, keyPointNumbers: file.keyPointNumbers)
  }
}
