internal import CairnBase
internal import CairnDocument
internal import CairnFormats
internal import CairnIndex
internal import CairnMerge

extension LabelImporter {
  func add(
    _ label: ImportedLabel, of photo: PhotoID, _ size: ImageSize, _ location: ImportedLocation
  ) throws {
    let annotator: Annotator
    switch self.annotator(of: label) {
    case .success(let found): annotator = found
    case .failure(let problem): return report.note(location, problem.message)
    }
    guard label.confidence.map({ 0...1 ~= $0 }) ?? true else {
      return report.note(location, "the confidence is not between 0 and 1")
    }
    guard (label.text?.utf8.count ?? 0) <= DocumentLimit.textLength else {
      return report.note(
        location, "the text is longer than \(DocumentLimit.textLength) bytes")
    }
    let key: ClassKey
    switch try classKey(label.className) {
    case .success(let found): key = found
    case .failure(let problem): return report.note(location, problem.message)
    }
    let shape: ImportedShape
    switch self.shape(of: label, size) {
    case .success(let found): shape = found
    case .failure(let problem): return report.note(location, problem.message)
    }
    let existing = try existingLabel(of: photo, key, annotator, shape)
    let region = shape.json(over: existing?.region)
    let name = newClasses.contains(label.className) ? label.className : key.text
    try add(
      ImportedAssertion(label, of: photo, key, named: name, by: annotator, region, over: existing),
      location)
  }

  /// The maximum number of labels of one photo that later repetitions can be merged into.
  private static let limit = 4096

  private func add(_ assertion: ImportedAssertion, _ location: ImportedLocation) throws {
    let isFull = current.count >= LabelImporter.limit
    if isFull || current.last?.photo != assertion.photo { try writeLabels() }
    let (subject, content) = (assertion.subjectHash, assertion.contentHash)
    guard let before = seen[subject] else {
      seen[subject] = content
      indices[subject] = current.count
      current.append(assertion)
      report.labels += 1
      return
    }
    if (before ^ content) & 1 != 0 {
      return report.note(
        location, "the label contradicts an earlier label of the class “\(assertion.key)”")
    }
    if let index = indices[subject] {
      if current[index].merge(assertion.label) {
        count(
          "merged different labels of the same class or box, keeping the first text and the higher "
            + "confidence")
      }
    } else if before != content {
      count("ignored a later, different label of the same class or box")
    }
  }

  /// Writes the labels of the current photo.
  func writeLabels() throws {
    for assertion in current { try append(assertion.line) }
    current.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
  }

  // MARK: Annotators

  /// Returns the annotator of a label. Never attributes one annotator's label to another.
  private func annotator(of label: ImportedLabel) -> Result<Annotator, ImportProblem> {
    if label.isByPerson, !annotator.isHuman {
      return .failure(ImportProblem(message: "the label is by a person, not by a model; omit --as"))
    }
    guard let model = label.model else {
      if label.isScored, label.confidence != 1, !isAnnotatorGiven {
        return .failure(
          ImportProblem(
            message: "the label has a score below 1, as models give; name the model with --as, or "
              + "the person with --annotator"))
      }
      return .success(annotator)
    }
    if let named = Annotator(model: model) { return .success(named) }
    if !annotator.isHuman { return .success(annotator) }
    let what =
      model.isEmpty
      ? "the label is by a model that the file does not name"
      : "“\(model.prefix(100))” is not a model in the form NAME@VERSION"
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
    switch try dataset.classMatch(name, in: index) {
    case .existing(let key)?: return .success(key)
    case .new(let key)?:
      newClasses.insert(name)
      return .success(key)
    case .ambiguous(let keys)?:
      return .failure(ImportProblem(message: ClassMatch.ambiguity(of: name, keys)))
    case nil:
      return .failure(ImportProblem(message: "“\(name.prefix(100))” cannot be the name of a class"))
    }
  }

  // MARK: Existing labels

  /// Returns the annotator's existing label for the class on a photo, or on the same region of it:
  /// one with the same outline before one of which only the box is the same, and a withdrawn one
  /// only if there is no other.
  private func existingLabel(
    of photo: PhotoID, _ key: ClassKey, _ annotator: Annotator, _ shape: ImportedShape
  ) throws -> Label? {
    if existing?.photo != photo { existing = (photo, try index.labels(of: photo)) }
    let own = (existing?.labels ?? []).filter { label in
      label.classKey == key && label.annotator == annotator && shape.isSame(as: label.region)
    }
    let exact = own.filter { shape.hasSameOutline(as: $0.region) }
    let found = exact.isEmpty ? own : exact
    return found.first { $0.verdict != .withdrawn } ?? found.first
  }

  /// Returns the region of an imported label, in fractions of the upright image.
  private func shape(
    of label: ImportedLabel, _ size: ImageSize
  ) -> Result<ImportedShape, ImportProblem> {
    var shape = ImportedShape(isCrowd: label.isCrowd)
    if let given = label.box { shape.box = size.fractions(of: given) }
    guard let outline = label.outline else {
      if label.box == nil || shape.box != nil { return .success(shape) }
      return .failure(
        ImportProblem(message: "the box is not within the image, or has no area"))
    }
    switch outline.fitted(to: size) {
    case .invalid(let message): return .failure(ImportProblem(message: message))
    case .polygons(let polygons, let isSimplified):
      if isSimplified {
        count("simplified an outline of more than \(DocumentLimit.polygonPoints) points")
      }
      shape.polygons = polygons
    }
    if !shape.isValid { return .failure(ImportProblem(message: "the outline has no area")) }
    return .success(shape)
  }
}
