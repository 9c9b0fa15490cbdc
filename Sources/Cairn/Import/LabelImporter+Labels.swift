internal import CairnDocument
internal import CairnFormats
internal import CairnIndex

extension LabelImporter {
  func take(
    _ label: ImportedLabel, of photo: PhotoID, _ frame: ImageSize, _ place: ImportedLocation
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
    var box: ImageSize.Fractions?
    if let given = label.box {
      box = frame.fractions(of: given)
      if box == nil {
        return report.note(place, "a box that does not lie within its image, or has no area")
      }
    }
    let existing = try existingLabel(of: photo, key, annotator, box)
    let region = box.map { box in
      existing?.region?.json ?? [
        "x": JSON(box.x), "y": JSON(box.y), "width": JSON(box.width), "height": JSON(box.height),
      ]
    }
    let name = newClasses.contains(label.className) ? label.className : key.text
    try take(
      ImportedAssertion(label, of: photo, key, named: name, by: annotator, region, over: existing),
      place)
  }

  /// The maximum number of labels of one photo that later repetitions can be merged into.
  private static let limit = 4096

  private func take(_ statement: ImportedAssertion, _ place: ImportedLocation) throws {
    let isFull = current.count >= LabelImporter.limit
    if isFull || current.last?.photo != statement.photo { try writeStatements() }
    let (subject, content) = (statement.subjectHash, statement.contentHash)
    guard let before = said[subject] else {
      said[subject] = content
      places[subject] = current.count
      current.append(statement)
      report.labels += 1
      return
    }
    if (before ^ content) & 1 != 0 {
      return report.note(
        place, "it says something else of “\(statement.key)” than what was said before")
    }
    if let index = places[subject] {
      if current[index].join(statement.label) {
        count(
          "made one, with the first words and the greater confidence: what is said again of the "
            + "same class or box otherwise")
      }
    } else if before != content {
      count("left as it was said first: what is said otherwise of the same class or box later")
    }
  }

  /// Writes the labels of the current photo.
  func writeStatements() throws {
    for statement in current { try append(statement.line) }
    current.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  // MARK: Annotators

  /// Returns the annotator of a label. Never attributes one annotator's label to another.
  private func speaker(of label: ImportedLabel) -> Result<Annotator, ImportProblem> {
    if label.isPersons, !annotator.isHuman {
      return .failure(ImportProblem(message: "what people say is not a model's; leave out --as"))
    }
    guard let model = label.model else {
      if label.isScored, label.confidence != 1, !isAnnotatorGiven {
        return .failure(
          ImportProblem(
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
    return .failure(ImportProblem(message: "\(what); name it with --as"))
  }

  // MARK: Classes

  /// Returns the key of the class with a name, or of the class that the name will create.
  private func classKey(_ name: String) throws -> Result<ClassKey, ImportProblem> {
    if let known = classes[name] { return known }
    let key = try foundClassKey(name)
    classes[name] = key
    return key
  }

  private func foundClassKey(_ name: String) throws -> Result<ClassKey, ImportProblem> {
    guard ClassKey.displayName(name) != nil, let coined = ClassKey(naming: name) else {
      return .failure(ImportProblem(message: "“\(name.prefix(100))” cannot be the name of a class"))
    }
    do {
      guard let known = try dataset.knownClassKey(named: name, in: index) else {
        newClasses.insert(name)
        return .success(coined)
      }
      return .success(known)
    } catch let error as CairnError {
      guard error.kind == .ambiguous else { throw error }
      return .failure(ImportProblem(message: String(error.message.dropLast())))
    }
  }

  // MARK: Existing labels

  /// Returns the annotator's existing label for the class on a photo, or on the same box in it; a
  /// withdrawn one only if there is no other.
  private func existingLabel(
    of photo: PhotoID, _ key: ClassKey, _ annotator: Annotator, _ box: ImageSize.Fractions?
  ) throws -> Label? {
    if existing?.photo != photo { existing = (photo, try index.labels(of: photo)) }
    func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 }
    func isSame(_ region: Region?) -> Bool {
      guard let region, let box else { return region == nil && box == nil }
      return isSame(region.x, box.x) && isSame(region.y, box.y)
        && isSame(region.width, box.width) && isSame(region.height, box.height)
    }
    let own = (existing?.labels ?? []).lazy.filter { label in
      label.classKey == key && label.annotator == annotator && isSame(label.region)
    }
    return own.first { $0.verdict != .withdrawn } ?? own.first
  }
}
