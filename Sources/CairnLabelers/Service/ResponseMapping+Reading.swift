internal import CairnBase
internal import CairnDocument

extension ResponseMapping {
  /// The maximum number of findings read from a response.
  static let findingLimit = 100_000

  /// Returns the prediction in a response.
  ///
  /// - Parameter names: The classes in the model's order, for responses that contain only scores.
  /// - Throws: A doubtful ``LabelerError`` when the response reports a failure or does not match
  ///   the description.
  func prediction(
    _ root: JSON, names: [String], of image: LabelerImage
  ) throws(LabelerError) -> Prediction {
    if let failure = failure(in: root) { throw .response("it reported “\(failure)”") }
    let (caption, version) = (try caption(in: root), version(in: root))
    guard let value = path.value(in: root) else {
      guard mayBeMissing || caption != nil else {
        throw .response("its response has nothing at “\(path.text)”")
      }
      return Prediction(caption: caption, version: version)
    }
    var findings: [Prediction.Finding] = []
    switch form {
    case .objects: findings = try objects(value, image)
    case .pairs: findings = try pairs(value)
    case .map: findings = try map(value)
    case .columns: findings = try columns(value)
    case .scores: findings = try scored(value, names)
    case .ranked: findings = try ranked(value, names)
    }
    return Prediction(findings, caption: caption, version: version)
  }

  /// Parses a response.
  static func json(_ bytes: [UInt8]) throws(LabelerError) -> JSON {
    if bytes.allSatisfy({ $0 <= 0x20 }) { throw .response("its response is empty") }
    do throws(DocumentError) {
      return try JSON(bytes: bytes)
    } catch {
      let text = String(decoding: bytes.prefix(1 << 20), as: UTF8.self)
      let start = text.drop { $0.isWhitespace }.prefix(200).lowercased()
      if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
        throw .response("its response is a web page, not JSON")
      }
      if ["NaN", "Infinity"].contains(where: text.contains) {
        throw .response("a score in its response is not a number")
      }
      throw .response("its response is not JSON (\(error))")
    }
  }

  // MARK: Failures

  /// Returns the failure that a response reports; nil if it reports none.
  private func failure(in root: JSON) -> String? {
    guard let success else { return errorMessage(in: root) }
    if success.path.value(in: root) == success.value { return nil }
    return errorMessage(in: root) ?? "\(success.path.text) has an unexpected value"
  }

  /// Returns the error message in a response; nil if it has none.
  func errorMessage(in root: JSON) -> String? {
    for path in errors {
      switch path.value(in: root) {
      case .string(let text)? where !text.isEmpty: return DisplaySanitizer.short(text)
      case .array(let elements)? where !elements.isEmpty:
        return DisplaySanitizer.short(elements[0].string ?? "an error without a message")
      case .object(let object)?:
        return DisplaySanitizer.short(object["message"]?.string ?? "an error without a message")
      default: continue
      }
    }
    return nil
  }

  // MARK: Names and scores

  private func elements(_ value: JSON) throws(LabelerError) -> [JSON] {
    guard let elements = value.array else {
      throw .response("its response has no list at “\(path.text)”")
    }
    guard elements.count <= ResponseMapping.findingLimit else {
      throw .response("its response has more than \(ResponseMapping.findingLimit) classes")
    }
    return elements
  }

  private func objects(
    _ value: JSON, _ image: LabelerImage
  ) throws(LabelerError) -> [Prediction.Finding] {
    var findings: [Prediction.Finding] = []
    for element in try elements(value) {
      guard let name = first(name, in: element) else {
        throw .response("an element of its response has no “\(name[0].text)”")
      }
      guard let score = first(score, in: element) else {
        throw .response("an element of its response has no “\(score[0].text)”")
      }
      let finding = Prediction.Finding(
        name: try text(name), score: try self.score(score), box: try unitBox(element, image))
      // A box entirely outside of the image is dropped.
      if let box = finding.box, box.width <= 0 || box.height <= 0 { continue }
      findings.append(finding)
    }
    return findings
  }

  private func first(_ paths: [JSONPath], in element: JSON) -> JSON? {
    for path in paths { if let value = path.value(in: element) { return value } }
    return nil
  }

  private func pairs(_ value: JSON) throws(LabelerError) -> [Prediction.Finding] {
    var findings: [Prediction.Finding] = []
    for element in try elements(value) {
      guard let pair = element.array, pair.count == 2 else {
        throw .response("an element of its response is not a name and a score")
      }
      findings.append(Prediction.Finding(name: try text(pair[0]), score: try score(pair[1])))
    }
    return findings
  }

  private func map(_ value: JSON) throws(LabelerError) -> [Prediction.Finding] {
    guard let object = value.object else {
      throw .response("its response has no object at “\(path.text)”")
    }
    var findings: [Prediction.Finding] = []
    for (name, value) in object.members.prefix(ResponseMapping.findingLimit) {
      findings.append(Prediction.Finding(name: name, score: try score(value)))
    }
    return findings
  }

  private func columns(_ value: JSON) throws(LabelerError) -> [Prediction.Finding] {
    guard let names = first(name, in: value)?.array, let scores = first(score, in: value)?.array,
      names.count == scores.count, names.count <= ResponseMapping.findingLimit
    else {
      throw .response("its response has different numbers of names and scores at “\(path.text)”")
    }
    var findings: [Prediction.Finding] = []
    for (name, value) in zip(names, scores) {
      findings.append(Prediction.Finding(name: try text(name), score: try score(value)))
    }
    return findings
  }

  private func scored(
    _ value: JSON, _ names: [String]
  ) throws(LabelerError) -> [Prediction.Finding] {
    var numbers: [Double] = []
    for element in try elements(value) {
      guard let number = element.double else { throw .notANumber }
      numbers.append(number / scale)
    }
    return try Activation.findings(activation, numbers, names)
  }

  private func ranked(
    _ value: JSON, _ names: [String]
  ) throws(LabelerError) -> [Prediction.Finding] {
    var findings: [Prediction.Finding] = []
    for element in try elements(value) {
      let parts = (element.string ?? "").split(separator: ":", maxSplits: 2)
      guard parts.count >= 2, let number = Double(parts[0]), let index = Int(parts[1]) else {
        throw .response("an element of its response is not `score:index:name`")
      }
      let known = names.indices.contains(index) ? names[index] : "class \(index)"
      let name = parts.count == 3 ? String(parts[2]) : known
      findings.append(Prediction.Finding(name: name, score: try checked(number / scale)))
    }
    return findings
  }

  private func text(_ value: JSON) throws(LabelerError) -> String {
    if let text = value.string { return text }
    if let number = value.int { return String(number) }
    throw .response("a name in its response is not a string")
  }

  /// Some services write numbers as strings.
  private func score(_ value: JSON) throws(LabelerError) -> Double {
    guard let number = value.double ?? value.string.flatMap(Double.init) else { throw .notANumber }
    return try checked(number / scale)
  }

  private func checked(_ score: Double) throws(LabelerError) -> Double {
    try Activation.checked(score)
  }

  private func version(in root: JSON) -> String? {
    let value = version?.value(in: root)
    return value?.string ?? value?.int.map { String($0) }
  }

  private func caption(in root: JSON) throws(LabelerError) -> Prediction.Caption? {
    guard let text = captionText?.value(in: root)?.string, !text.isEmpty else { return nil }
    let score = captionScore?.value(in: root)
    return Prediction.Caption(text: text, score: try score.map(self.score) ?? 1)
  }

  // MARK: Boxes

  /// Returns a box clipped to the image, which may have no area; nil when there is no box.
  private func unitBox(_ element: JSON, _ image: LabelerImage) throws(LabelerError)
    -> NormalizedRect?
  {
    guard let box else { return nil }
    let values = box.paths.compactMap { $0.value(in: element)?.double }
    if values.isEmpty { return nil }
    guard values.count == 4, values.allSatisfy(\.isFinite), image.width > 0, image.height > 0 else {
      throw .response("a box in its response is incomplete")
    }
    let (width, height) =
      box.isPixels ? (Double(image.width), Double(image.height)) : (1, 1)
    func within(_ value: Double) -> Double { min(1, max(0, value)) }
    let (left, top) = (within(values[0] / width), within(values[1] / height))
    let right = within((box.isEdges ? values[2] : values[0] + values[2]) / width)
    let bottom = within((box.isEdges ? values[3] : values[1] + values[3]) / height)
    return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension LabelerError {
  /// Returns an error for an unusable response.
  static func response(_ problem: String) -> LabelerError {
    LabelerError(problem, scope: .doubtful)
  }

  static let notANumber = response("a score in its response is not a number")
}
