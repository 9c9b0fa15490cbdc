internal import CairnDocument
internal import CairnSources

/// Turns the classes that a source assigns to its photos into labels.
///
/// The person who fetches the photos has not looked at them, and the source's users are not
/// annotators of the dataset. So the labels are predictions of a model that represents the source,
/// for people to confirm or correct, in one run per fetch that can be withdrawn as a whole.
final class SourceLabeler {
  private let dataset: Dataset
  private let request: PhotoFetchRequest
  private var run: RunID?

  init(_ dataset: Dataset, _ request: PhotoFetchRequest) {
    (self.dataset, self.request) = (dataset, request)
  }

  /// The result of labeling a photo.
  struct Assertion {
    /// The names of the classes.
    var classes: [String] = []
    /// The reason why a name was left out, as a sentence.
    var note: String?
  }

  /// Labels a photo.
  func label(_ id: PhotoID, _ photo: SourcePhoto) throws -> Assertion {
    var said = Assertion()
    guard request.takesLabels, !photo.classes.isEmpty,
      let model = request.source.annotator.flatMap({ Annotator($0) })
    else { return said }
    said.classes = try photo.classes.compactMap { try name(of: $0, &said.note) }
    if said.classes.isEmpty { return said }
    let run = try run ?? dataset.startRun(model, parameters: parameters).id
    self.run = run
    var statement = LabelAssertion(annotator: model, run: run)
    statement.source = request.source.rawValue
    _ = try dataset.label([id], said.classes, statement)
    return said
  }

  private var parameters: JSONObject {
    var parameters: JSONObject = ["source": .string(request.source.rawValue)]
    parameters["text"] = request.query.text.map { .string($0) }
    return parameters
  }

  /// Returns the first of a class's names that exists in the dataset, including aliases, otherwise
  /// the first valid one; nil if one is ambiguous and none exists.
  private func name(of names: [String], _ note: inout String?) throws -> String? {
    let usable = names.filter { ClassKey(naming: $0) != nil }
    var unclear: String?
    for name in usable {
      do {
        if try dataset.knownClassKey(named: name) != nil { return name }
      } catch let error as CairnError where error.kind == .ambiguous {
        unclear = unclear ?? error.message
      }
    }
    note = note ?? unclear
    return unclear == nil ? usable.first : nil
  }
}
