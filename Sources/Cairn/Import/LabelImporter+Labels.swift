internal import CairnBase
internal import CairnDocument
internal import CairnFormats
internal import CairnIndex
internal import CairnMerge

extension LabelImporter {
  func add(
    _ label: ImportedLabel, of photo: PhotoID, _ size: ImageSize, _ location: ImportedLocation
  ) throws {
    let annotators: [Annotator]
    do throws(AnnotatorResolver.Nobody) {
      switch try annotatorResolver.annotators(of: label) {
      case .success(let found): annotators = found
      case .failure(let problem): return report.note(location, problem.message)
      }
    } catch {
      throw namesNobody(location)
    }
    var label = label
    if annotators.count > 1 {
      // The file does not say which of them wrote the text.
      if label.text != nil { count("ignored a text of a label by several people") }
      (label.text, label.confidence) = (nil, nil)
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
    for annotator in annotators {
      let existing = existingLabel(key, annotator, shape)
      let region = shape.json(over: existing?.region)
      var assertion = ImportedAssertion(
        label, of: photo, key, by: annotator, region, over: existing)
      assertion.stamp = stamp(of: label, by: annotator)
      try add(assertion, location)
    }
  }

  /// Returns the stamp of a label that the file dates, or that it attributes to a person; nil for
  /// the time of the import.
  ///
  /// A person's label without a time is timeless: the person's own labels are later.
  private func stamp(of label: ImportedLabel, by annotator: Annotator) -> Stamp? {
    if let time = label.time, time > 0 {
      let milliseconds = min(time, dataset.environment.now())
      return Stamp(milliseconds: milliseconds, counter: 0, replica: Stamp.otherTools)
    }
    return label.annotators.isEmpty || !annotator.isHuman ? nil : .given
  }

  private func namesNobody(_ location: ImportedLocation) -> CairnError {
    var hint = "Name the model with `--as NAME@VERSION`, or the person with `--annotator ADDRESS`."
    if let person = dataset.replica.knownPerson() {
      hint =
        "Add `--annotator \(person.identity)` if the labels are yours, or `--as NAME@VERSION` if "
        + "they are a model's."
    }
    return CairnError(
      .invalidInput, "\(location): the file does not say whose label this is.", hint: hint)
  }

  /// The maximum number of labels of one photo that later repetitions can be merged into.
  private static let limit = 4096

  private func add(_ assertion: ImportedAssertion, _ location: ImportedLocation) throws {
    let isFull = current.count >= LabelImporter.limit
    if isFull || current.last?.photo != assertion.photo { try writeLabels() }
    let (subject, summary) = (assertion.subjectHash, ImportedAssertion.Summary(assertion))
    guard let before = seen[subject] else {
      report.labels += 1
      return keep(assertion, subject, summary)
    }
    if indices[subject] == nil, before.isDated, summary.isDated {
      // The earlier one was already written: their documents are merged by their stamps.
      if before.contradicts(summary) { countLater() }
      return keep(assertion, subject, summary)
    }
    if before.contradicts(summary) {
      if keepLater(assertion, subject, summary) { return }
      return report.note(
        location, "the label contradicts an earlier label of the class “\(assertion.key)”")
    }
    if let index = indices[subject] {
      current[index].stamp = [current[index].stamp, assertion.stamp].compactMap { $0 }.max()
      if current[index].merge(assertion.label) {
        count(
          "merged different labels of the same class or box, keeping the first text and the higher "
            + "confidence")
      }
    } else if !before.isSame(as: summary) {
      count("ignored a later, different label of the same class or box")
    }
  }

  private func keep(
    _ assertion: ImportedAssertion, _ subject: UInt64, _ summary: ImportedAssertion.Summary
  ) {
    seen[subject] = summary
    indices[subject] = current.count
    current.append(assertion)
  }

  /// Keeps the later of two labels that contradict each other; returns false when the file does not
  /// say which one that is.
  private func keepLater(
    _ assertion: ImportedAssertion, _ subject: UInt64, _ summary: ImportedAssertion.Summary
  ) -> Bool {
    guard let index = indices[subject], let new = assertion.stamp, let old = current[index].stamp,
      new != old
    else { return false }
    countLater()
    if new > old {
      current[index] = assertion
      seen[subject] = summary
    }
    return true
  }

  private func countLater() { count("kept the later of two labels that contradict each other") }

  /// Writes the labels of the current photo.
  func writeLabels() throws {
    for assertion in current {
      if assertion.isOutdated {
        count("kept a label that its annotator has changed since")
        continue
      }
      if assertion.isNew {
        let run = assertion.annotator.model == nil ? nil : try run(of: assertion.annotator)
        let document = assertion.document(run: run, stamp: stamp)
        try labelLines.append(document.canonicalBytes, of: assertion.photo)
        continue
      }
      var line = assertion.line
      if assertion.isKnown, let run = assertion.existing?.run, try isWithdrawn(run) {
        let id = run.text.prefix(8)
        count("left a label in the withdrawn run \(id), which `cairn run restore \(id)` restores")
      }
      if !assertion.isKnown, assertion.annotator.model != nil {
        line["run"] = .string(try run(of: assertion.annotator).text)
      }
      try labelLines.append(line.canonicalBytes, of: assertion.photo)
    }
    current.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
  }

  // MARK: Runs

  /// Returns the run that the new and changed labels of a model belong to, which the first of them
  /// starts: labels that are already in the dataset stay in their run.
  private func run(of model: Annotator) throws -> RunID {
    if let run = runs[model] { return run }
    let run = RunID(random: dataset.environment.random)
    runs[model] = run
    try append([
      "kind": "run", "id": .string(run.text), "annotator": .string(model.description),
      "parameters": .object(runParameters),
    ])
    return run
  }

  private func isWithdrawn(_ id: RunID) throws -> Bool {
    if let known = withdrawn[id] { return known }
    var isWithdrawn = false
    if case .run(let run)? = try dataset.readableDocument(at: .run(id)) {
      isWithdrawn = run.withdrawn.value
    }
    withdrawn[id] = isWithdrawn
    return isWithdrawn
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
      if newClasses[key] == nil { newClasses[key] = name }
      return .success(key)
    case .ambiguous(let keys)?:
      return .failure(ImportProblem(message: ClassMatch.ambiguity(of: name, keys)))
    case nil:
      return .failure(ImportProblem(message: "“\(name.prefix(100))” cannot be the name of a class"))
    }
  }

  // MARK: Existing labels

  /// Returns the annotator's existing label for the class on the photo, or on the same region of it:
  /// one with the same outline before one of which only the box is the same, and a withdrawn one
  /// only if there is no other.
  private func existingLabel(
    _ key: ClassKey, _ annotator: Annotator, _ shape: ImportedShape
  ) -> Label? {
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
