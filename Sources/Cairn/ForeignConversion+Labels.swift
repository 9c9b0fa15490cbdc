internal import CairnDocument
internal import CairnFormats
internal import CairnIndex

extension ForeignConversion {
  func take(
    _ label: ForeignLabel, of photo: PhotoID, _ frame: ForeignFrame, _ place: ForeignPlace
  ) throws {
    let annotator: Annotator
    switch speaker(of: label) {
    case .success(let speaker): annotator = speaker
    case .failure(let problem): return report.note(place, problem.message)
    }
    guard label.confidence.map({ 0...1 ~= $0 }) ?? true else {
      return report.note(place, "the confidence is not between 0 and 1")
    }
    guard (label.text?.utf8.count ?? 0) <= DocumentLimit.textLength else {
      return report.note(place, "words of more than \(DocumentLimit.textLength) bytes")
    }
    let key: ClassKey
    switch try classKey(label.className) {
    case .success(let found): key = found
    case .failure(let problem): return report.note(place, problem.message)
    }
    var line: JSONObject = [
      "kind": "label", "photo": .string(photo.description),
      "annotator": .string(annotator.description),
      "verdict": .string(label.isAbsent ? Verdict.absent.rawValue : Verdict.present.rawValue),
      "confidence": JSON(label.confidence ?? 1),
      "class": .string(newClasses.contains(label.className) ? label.className : key.text),
    ]
    line["text"] = label.text.map { .string($0) }
    if let box = label.box {
      guard let fractions = frame.fractions(of: box) else {
        return report.note(place, "a box that does not lie within its image, or has no area")
      }
      line["region"] = try region(fractions, of: photo, key, annotator)
    }
    let statement = hash(photo, key, annotator, line["region"])
    let content = hash(label)
    if let before = said[statement] {
      if before != content {
        report.note(place, "it says something else of “\(key)” than what was said before")
      }
      return
    }
    said[statement] = content
    report.labels += 1
    try append(line)
  }

  private func hash(
    _ photo: PhotoID, _ key: ClassKey, _ annotator: Annotator, _ region: JSON?
  ) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(photo)
    hasher.combine(key)
    hasher.combine(annotator)
    hasher.combine(region?.canonicalBytes)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private func hash(_ label: ForeignLabel) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(label.confidence ?? 1)
    hasher.combine(label.isAbsent)
    hasher.combine(label.text)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  // MARK: Who says it

  /// Returns who says it: nobody gets words that are another's.
  private func speaker(of label: ForeignLabel) -> Result<Annotator, Unusable> {
    if label.isPersons, !annotator.isHuman {
      return .failure(Unusable(message: "what people say is not a model's; leave out --as"))
    }
    guard let model = label.model else {
      if label.isScored, label.confidence != 1, !isAnnotatorGiven {
        return .failure(
          Unusable(
            message: "a score, as models give them; name the model with --as, or with --annotator "
              + "the person who is so sure"))
      }
      return .success(annotator)
    }
    if let named = Annotator(model: model) { return .success(named) }
    if !annotator.isHuman { return .success(annotator) }
    let what =
      model.isEmpty
      ? "a model said it, which is not named"
      : "“\(model.prefix(100))” is no NAME@VERSION of a model"
    return .failure(Unusable(message: "\(what); name it with --as"))
  }

  // MARK: Classes

  /// Returns the key of the class that a name means, or that it will coin.
  private func classKey(_ name: String) throws -> Result<ClassKey, Unusable> {
    if let known = classes[name] { return known }
    let key = try foundClassKey(name)
    classes[name] = key
    return key
  }

  private func foundClassKey(_ name: String) throws -> Result<ClassKey, Unusable> {
    guard ClassKey.displayName(name) != nil, let coined = ClassKey(naming: name) else {
      return .failure(Unusable(message: "“\(name.prefix(100))” cannot be the name of a class"))
    }
    do {
      guard let known = try dataset.knownClassKey(named: name, in: index) else {
        newClasses.insert(name)
        return .success(coined)
      }
      return .success(known)
    } catch let error as CairnError {
      guard error.kind == .ambiguous else { throw error }
      return .failure(Unusable(message: String(error.message.dropLast())))
    }
  }

  // MARK: Boxes

  /// Returns the box, as the annotator has drawn it already where that is the same.
  private func region(
    _ box: (x: Double, y: Double, width: Double, height: Double), of photo: PhotoID,
    _ key: ClassKey, _ annotator: Annotator
  ) throws -> JSON {
    if standing?.photo != photo { standing = (photo, try index.labels(of: photo)) }
    func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 }
    let drawn = standing?.labels.first { label in
      guard label.classKey == key, label.annotator == annotator, let region = label.region else {
        return false
      }
      return isSame(region.x, box.x) && isSame(region.y, box.y)
        && isSame(region.width, box.width) && isSame(region.height, box.height)
    }
    if let region = drawn?.region { return region.json }
    return [
      "x": JSON(box.x), "y": JSON(box.y), "width": JSON(box.width), "height": JSON(box.height),
    ]
  }
}
