internal import CairnDocument

/// Tasks of Label Studio: annotations are people's, predictions models'. Source: Label Studio
/// “Export annotations”, format JSON.
struct LabelStudioReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.withBytes(of: path) { bytes in
      try source.scanning(path) {
        var lines = LineCounter(bytes)
        var scanner = JSONScanner(bytes)
        try scanner.beginArray()
        var isFirst = true
        while try scanner.nextElement(&isFirst) {
          let place = ForeignPlace(path, line: lines.line(at: scanner.offset))
          try read(try scanner.value(depth: 1), place)
        }
        try scanner.finish()
      }
    }
  }

  private func read(_ task: JSON, _ place: ForeignPlace) throws {
    guard let data = task["data"]?.object, let address = data.text("image", "img", "photo_url")
    else { return try source.problem(place, "a task without an “image”") }
    var photo = ForeignPhoto(
      file(address), id: data.text("photo").flatMap { PhotoID($0) }, place: place)
    for annotation in task["annotations"]?.array ?? [] {
      if annotation["was_cancelled"]?.bool == true {
        try source.note("Annotations that were cancelled are not imported.")
        continue
      }
      photo.labels += try labels(annotation, model: nil, place)
    }
    for prediction in task["predictions"]?.array ?? [] {
      let version = prediction["model_version"]?.string ?? ""
      photo.labels += try labels(prediction, model: version, place)
    }
    try source.photo(photo)
  }

  /// Returns the path of a file that Label Studio serves, or the last part of an address.
  private func file(_ address: String) -> String {
    let path: Substring
    if let mark = address.range(of: "?d=") {
      path = address[mark.upperBound...]
    } else if address.contains("://") || address.hasPrefix("/data/") {
      path = address.prefix { $0 != "?" }.split(separator: "/").last ?? ""
    } else {
      path = address[...]
    }
    return path.decodingPercents()
  }

  private func labels(
    _ said: JSON, model: String?, _ place: ForeignPlace
  ) throws -> [ForeignLabel] {
    var labels: [ForeignLabel] = []
    for result in said["result"]?.array ?? [] {
      guard let type = result["type"]?.string, let value = result["value"] else {
        try source.problem(place, "a result without “type” and “value”")
        continue
      }
      guard ["choices", "rectanglelabels"].contains(type) else {
        try source.problem(
          place, "a result of the type “\(type.prefix(64))”, which is not imported")
        continue
      }
      var box: ForeignBox?
      if type == "rectanglelabels" {
        box = self.box(value)
        if box == nil {
          try source.problem(place, "a rectangle that is turned, or without its four numbers")
          continue
        }
      }
      let confidence = (result["score"].flatMap { $0.isNull ? nil : $0 } ?? said["score"])?.double
      if let confidence, !(0...1 ~= confidence) {
        try source.problem(place, "“score” is not between 0 and 1")
        continue
      }
      for name in value[type]?.array?.compactMap(\.string) ?? [] {
        var label = ForeignLabel(name, box: box, confidence: confidence)
        (label.model, label.isPersons) = (model, model == nil)
        labels.append(label)
      }
    }
    return labels
  }

  /// Source: in hundredths of the image.
  private func box(_ value: JSON) -> ForeignBox? {
    let numbers = ["x", "y", "width", "height"].compactMap { value[$0]?.number }
    guard numbers.count == 4, (value["rotation"]?.number ?? 0) == 0 else { return nil }
    return .fractions(
      x: numbers[0] / 100, y: numbers[1] / 100, width: numbers[2] / 100, height: numbers[3] / 100)
  }
}

extension StringProtocol {
  /// Returns the text with the octets that are written as `%2F`.
  fileprivate func decodingPercents() -> String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = hexDigit(rest[rest.startIndex], allowingUpperCase: true),
        let low = hexDigit(rest[rest.startIndex + 1], allowingUpperCase: true)
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
