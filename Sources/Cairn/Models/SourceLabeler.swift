internal import CairnDocument
internal import CairnMerge
internal import CairnSources

/// Turns the classes that a source assigns to its photos into labels.
///
/// The person who fetches the photos has not looked at them, and the source's users are not
/// annotators of the dataset. Therefore the labels are predictions of a model that represents the
/// source, which people confirm or correct. All labels of a fetch belong to one run, so that they
/// can be withdrawn at once.
final class SourceLabeler {
  private let dataset: Dataset
  private let request: PhotoFetchRequest
  private var run: RunID?

  init(_ dataset: Dataset, _ request: PhotoFetchRequest) {
    (self.dataset, self.request) = (dataset, request)
  }

  /// The classes that a photo was labeled with.
  struct Assertion {
    /// The names of the classes.
    var classes: [String] = []
    /// The reason why a name was left out, as a sentence.
    var note: String?
  }

  /// Labels a photo.
  func label(_ id: PhotoID, _ photo: SourcePhoto) throws -> Assertion {
    var assertion = Assertion()
    guard request.importsLabels, !photo.classes.isEmpty,
      let model = request.source.annotator.flatMap({ Annotator($0) })
    else { return assertion }
    assertion.classes = try photo.classes.compactMap { try name(of: $0, &assertion.note) }
    if assertion.classes.isEmpty { return assertion }
    let run = try run ?? dataset.startRun(model, parameters: parameters).id
    self.run = run
    var label = LabelAssertion(by: model, run: run)
    label.source = request.source.rawValue
    _ = try dataset.label([id], assertion.classes, label)
    return assertion
  }

  private var parameters: JSONObject {
    var parameters: JSONObject = ["source": .string(request.source.rawValue)]
    parameters["text"] = request.query.text.map { .string($0) }
    return parameters
  }

  /// Returns the first of a class's names that exists in the dataset, including aliases, otherwise
  /// the first valid one; nil if one is ambiguous and none exists.
  private func name(of names: [String], _ note: inout String?) throws -> String? {
    let valid = names.filter { ClassKey(naming: $0) != nil }
    var ambiguity: String?
    for name in valid {
      switch try dataset.classMatch(name) {
      case .existing?: return name
      case .ambiguous(let keys)?:
        ambiguity = ambiguity ?? ClassMatch.ambiguity(of: name, keys) + "."
      case .new?, nil: break
      }
    }
    note = note ?? ambiguity
    return ambiguity == nil ? valid.first : nil
  }
}
