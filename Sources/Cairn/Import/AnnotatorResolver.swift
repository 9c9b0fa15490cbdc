internal import CairnDocument
internal import CairnFormats

/// Decides who made the labels of imported files: the annotators in the files, otherwise the one
/// given for the import. Never the person who imports them, unless given.
struct AnnotatorResolver {
  typealias Problem = LabelImporter.ImportProblem

  /// The annotator of labels for which the files name nobody; nil when there is none.
  let given: Annotator?
  /// The annotators by their names in the files.
  let named: [String: Annotator]
  private var known: [ImportedAnnotator: Result<Annotator, Problem>] = [:]
  /// The only person in the files that ``given`` may stand for.
  private var adopted: ImportedAnnotator?

  init(given: Annotator?, named: [String: Annotator]) {
    (self.given, self.named) = (given, named)
  }

  /// A label that names nobody, although no annotator was given.
  struct Nobody: Error {}

  /// Returns the annotators of a label.
  ///
  /// - Throws: ``Nobody`` when neither the file nor the options name one.
  mutating func annotators(of label: ImportedLabel) throws(Nobody) -> Result<[Annotator], Problem> {
    if let model = label.model { return self.model(model).map { [$0] } }
    if !label.annotators.isEmpty { return people(label.annotators) }
    if let given {
      if given.isHuman || !label.isByPerson { return .success([given]) }
      return problem(
        "a person made the label, but the file does not say who; name the person with --annotator, "
          + "instead of a model with --as")
    }
    if label.isScored, let confidence = label.confidence, confidence != 1 {
      return problem(
        "the label has a score below 1, so it is probably a model's; name the model with "
          + "--as, or the person with --annotator")
    }
    throw Nobody()
  }

  private func problem<Value>(_ message: String) -> Result<Value, Problem> {
    .failure(Problem(message: message))
  }

  // MARK: Models

  private func model(_ name: String) -> Result<Annotator, Problem> {
    if let named = named[name], !named.isHuman { return .success(named) }
    if let named = Annotator(model: name) { return .success(named) }
    if let given, !given.isHuman { return .success(given) }
    let what =
      name.isEmpty
      ? "the label is by a model that the file does not name"
      : "“\(name.prefix(100))” is not a model in the form NAME@VERSION"
    return problem("\(what); name it with --as")
  }

  // MARK: People

  private mutating func people(_ named: [ImportedAnnotator]) -> Result<[Annotator], Problem> {
    var annotators: [Annotator] = []
    for person in named {
      switch annotator(person) {
      case .success(let annotator):
        if !annotators.contains(annotator) { annotators.append(annotator) }
      case .failure(let problem): return .failure(problem)
      }
    }
    return .success(annotators)
  }

  private mutating func annotator(_ person: ImportedAnnotator) -> Result<Annotator, Problem> {
    if let known = known[person] { return known }
    let found = find(person)
    known[person] = found
    return found
  }

  private mutating func find(_ person: ImportedAnnotator) -> Result<Annotator, Problem> {
    for name in person.names {
      if let annotator = named[name] { return .success(annotator) }
    }
    if let email = person.email, let annotator = Annotator(email: email) {
      return .success(annotator)
    }
    let name = person.description.prefix(100)
    guard let given, given.isHuman else {
      return problem(
        "the label is by “\(name)”, whose email address the file does not give; name it with "
          + "--annotators MAP.csv, a table with the line “\(name),ADDRESS”")
    }
    if let adopted, adopted != person {
      return problem(
        "the labels are by “\(adopted.description.prefix(100))” and by “\(name)”, so "
          + "--annotator cannot stand for both; name them with --annotators MAP.csv")
    }
    adopted = person
    return .success(given)
  }
}
