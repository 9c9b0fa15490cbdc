internal import CairnDocument

/// Boxes in text files below `labels/`, images below `images/`, and the names of the classes in
/// `data.yaml` or `classes.txt`. Source: Ultralytics “Object Detection Datasets”.
struct YOLOReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    if let file = source.file {
      throw FormatError(ForeignPlace(file), "it is a file; name the directory of data.yaml")
    }
    let names = try classNames()
    var labelled: Set<String> = []
    for path in try source.paths(in: "labels", ["txt"]) {
      let stem = path.dropFirst("labels/".count).dropLast(".txt".count)
      labelled.insert(String(stem))
      try read(path, image: try image(String(stem)), names)
    }
    for path in try source.paths(in: "images", imageExtensions) {
      let stem = path.dropFirst("images/".count).split(separator: ".").dropLast()
      if !labelled.contains(stem.joined(separator: ".")) {
        try source.photo(ForeignPhoto(path, place: ForeignPlace(path)))
      }
    }
  }

  /// Returns the path of an image; without it, what the path would begin with.
  private func image(_ stem: String) throws -> String {
    for suffix in imageExtensions.sorted() {
      for suffix in [suffix, suffix.uppercased()] {
        let path = "images/\(stem).\(suffix)"
        if try source.exists(path) { return path }
      }
    }
    return "images/\(stem)"
  }

  private func read(_ path: String, image: String, _ names: [Int: String]) throws {
    var photo = ForeignPhoto(image, place: ForeignPlace(path))
    try source.forEachLine(of: path) { line, place in
      let cells = String(decoding: line, as: UTF8.self).split {
        $0 == " " || $0 == "\t" || $0 == "\r"
      }
      guard let number = cells.first.flatMap({ Int($0) }), let name = names[number] else {
        return try source.problem(place, "“\(cells.first?.prefix(32) ?? "")” is no class")
      }
      guard cells.count == 5 || cells.count == 6 else {
        return try source.problem(
          place, "\(cells.count) numbers, which are not those of a box")
      }
      let numbers = cells.dropFirst().compactMap { Double($0) }.filter(\.isFinite)
      guard numbers.count == cells.count - 1 else {
        return try source.problem(place, "not all of the row are numbers")
      }
      var label = ForeignLabel(name)
      label.box = .fractions(
        x: numbers[0] - numbers[2] / 2, y: numbers[1] - numbers[3] / 2, width: numbers[2],
        height: numbers[3])
      if numbers.count == 5 {
        guard 0...1 ~= numbers[4] else {
          return try source.problem(place, "the sixth number is no confidence between 0 and 1")
        }
        label.confidence = numbers[4]
      }
      // Rows that stand twice are one, as in Ultralytics' reader.
      if !photo.labels.contains(label) { photo.labels.append(label) }
    }
    try source.photo(photo)
  }

  // MARK: Names

  private func classNames() throws -> [Int: String] {
    for path in ["data.yaml", "dataset.yaml"] {
      guard let bytes = try source.read(path) else { continue }
      let names = YAMLNames.read(String(decoding: bytes, as: UTF8.self))
      if !names.isEmpty { return names }
      throw FormatError(ForeignPlace(path), "there are no names of classes in it")
    }
    for path in ["classes.txt", "labels/classes.txt"] {
      guard let bytes = try source.read(path) else { continue }
      // An empty line has a number, too.
      let lines = String(decoding: bytes, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      return Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($0, String($1)) })
    }
    throw FormatError(
      source.place, "there is neither data.yaml nor classes.txt in it")
  }
}

/// The member `names` of a `data.yaml`: a list or a map, in a block or in brackets.
enum YAMLNames {
  static func read(_ text: String) -> [Int: String] {
    var names: [Int: String] = [:]
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let content = line.drop { $0 == " " }
      if content.isEmpty || content.hasPrefix("#") { continue }
      let isTop = line.first != " " && !content.hasPrefix("-")
      if isTop {
        isInside = content.hasPrefix("names:")
        let rest = isInside ? trimmed(content.dropFirst("names:".count)) : ""
        if rest.hasPrefix("[") || rest.hasPrefix("{") { add(flow: rest, to: &names) }
      } else if isInside {
        add(String(content), to: &names)
      }
    }
    return names
  }

  private static func add(flow text: String, to names: inout [Int: String]) {
    let inner = text.dropFirst().prefix { $0 != "]" && $0 != "}" }
    for part in inner.split(separator: ",") {
      let item = trimmed(part)
      add(text.hasPrefix("[") ? "- " + item : item, to: &names)
    }
  }

  /// Takes `- name` or `0: name`.
  private static func add(_ item: String, to names: inout [Int: String]) {
    if item.hasPrefix("-") {
      names[names.count] = scalar(item.dropFirst())
    } else if let colon = item.firstIndex(of: ":"), let number = Int(trimmed(item[..<colon])) {
      names[number] = scalar(item[item.index(after: colon)...])
    }
  }

  private static func scalar(_ text: some StringProtocol) -> String {
    let text = trimmed(text)
    guard let quote = text.first, quote == "\"" || quote == "'", text.last == quote, text.count > 1
    else { return trimmed(text.split(separator: " #", maxSplits: 1).first ?? "") }
    return String(text.dropFirst().dropLast())
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    String(text).trimmingSpaces()
  }
}
