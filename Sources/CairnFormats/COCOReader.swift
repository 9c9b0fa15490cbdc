internal import CairnDocument

/// Files of images, categories and annotations. Source: COCO “Data format”.
///
/// The images and categories are read first, wherever they stand; the annotations one at a time.
struct COCOReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  private struct Image {
    let file: String
    let extent: PixelExtent?
    var hasLabels = false
  }

  func read() throws {
    if let file = source.file { return try read(file) }
    let below = try source.paths(in: "annotations", ["json"])
    let paths = below.isEmpty ? try source.paths(["json"]) : below
    if paths.isEmpty {
      throw FormatError(source.place, "there is no file of annotations in it")
    }
    for path in paths { try read(path) }
  }

  private func read(_ path: String) throws {
    try source.withBytes(of: path) { bytes in
      try source.scanning(path) {
        var images: [Int: Image] = [:]
        var categories: [Int: String] = [:]
        var lines = LineCounter(bytes)
        var hasAnnotations = false
        try forEachElement(of: bytes) { list, element, offset in
          let place = ForeignPlace(path, line: lines.line(at: offset))
          switch list {
          case "images": try readImage(element, place, &images)
          case "categories":
            guard let id = element["id"]?.int, let name = element["name"]?.string else {
              return try source.problem(place, "a category without “id” and “name”")
            }
            categories[id] = name
          case "annotations": hasAnnotations = true
          default: try source.note("What is not imported of \(path): “\(list.prefix(64))”.")
          }
        }
        guard hasAnnotations || !images.isEmpty else {
          throw FormatError(ForeignPlace(path), "there are neither images nor annotations in it")
        }
        lines = LineCounter(bytes)
        try forEachElement(of: bytes) { list, element, offset in
          guard list == "annotations" else { return }
          let place = ForeignPlace(path, line: lines.line(at: offset))
          try readAnnotation(element, place, &images, categories)
        }
        for (_, image) in images.sorted(by: { $0.key < $1.key }) where !image.hasLabels {
          try source.photo(ForeignPhoto(image.file, place: ForeignPlace(path)))
        }
      }
    }
  }

  private func readImage(
    _ element: JSON, _ place: ForeignPlace, _ images: inout [Int: Image]
  ) throws {
    guard let id = element["id"]?.int, let file = element["file_name"]?.string else {
      return try source.problem(place, "an image without “id” and “file_name”")
    }
    guard images[id] == nil else {
      return try source.problem(place, "a second image with the id \(id)")
    }
    images[id] = Image(
      file: file,
      extent: PixelExtent(width: element["width"]?.number, height: element["height"]?.number))
  }

  private func readAnnotation(
    _ element: JSON, _ place: ForeignPlace, _ images: inout [Int: Image],
    _ categories: [Int: String]
  ) throws {
    guard let imageID = element["image_id"]?.int, let image = images[imageID] else {
      return try source.problem(place, "an annotation of no image")
    }
    guard let name = element["category_id"]?.int.flatMap({ categories[$0] }) else {
      return try source.problem(place, "an annotation of no category")
    }
    images[imageID]?.hasLabels = true
    if element["iscrowd"]?.int == 1 {
      return try source.problem(place, "a crowd, which is not one thing in a box")
    }
    var label = ForeignLabel(name)
    if let score = element["score"] {
      guard let score = score.double, 0...1 ~= score else {
        return try source.problem(place, "“score” is not between 0 and 1")
      }
      label.confidence = score
    }
    if let box = element["bbox"], !box.isNull {
      guard let (x, y, width, height) = box.fourNumbers else {
        return try source.problem(place, "“bbox” is not four numbers")
      }
      label.box = .pixels(x: x, y: y, width: width, height: height, image: image.extent)
    }
    for key in ["segmentation", "keypoints"] where element[key]?.array?.isEmpty == false {
      try source.note("What is not imported of annotations: “\(key)”.")
    }
    try source.photo(ForeignPhoto(image.file, labels: [label], place: place))
  }

  /// Calls `visit` with each element of each list at the top, and where it stands.
  private func forEachElement(
    of bytes: UnsafeBufferPointer<UInt8>,
    _ visit: (_ list: String, _ element: JSON, _ offset: Int) throws -> Void
  ) throws {
    var scanner = JSONScanner(bytes)
    try scanner.beginObject()
    var isFirst = true
    while let token = try scanner.nextMember(&isFirst) {
      let key = try scanner.string(of: token)
      guard ["images", "categories", "annotations"].contains(key) else {
        let offset = scanner.offset
        let value = try scanner.value(depth: 1)
        if key != "info", key != "licenses" { try visit(key, value, offset) }
        continue
      }
      try scanner.beginArray()
      var isFirstElement = true
      while try scanner.nextElement(&isFirstElement) {
        let offset = scanner.offset
        try visit(key, try scanner.value(depth: 2), offset)
      }
    }
    try scanner.finish()
  }
}

/// Tells the lines of places that are asked for in their order.
struct LineCounter {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var line = 1

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func line(at offset: Int) -> Int {
    while position < offset {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
    return line
  }
}
