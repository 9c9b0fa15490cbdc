internal import CairnDocument
internal import CairnSources

/// Makes labels of what a source says is on its photos.
///
/// The person who fetches has not looked at them, and whoever did is no person of the dataset. So it is
/// said by a model that stands for the source: a prediction that people confirm or correct, in one run
/// for each fetch, which can be withdrawn as a whole.
final class SourceLabelling {
  private let dataset: Dataset
  private let request: PhotoRequest
  private var run: RunID?

  init(_ dataset: Dataset, _ request: PhotoRequest) {
    (self.dataset, self.request) = (dataset, request)
  }

  /// What was made of what a source says.
  struct Said {
    /// The names of the classes.
    var classes: [String] = []
    /// Why something was left out, in a sentence.
    var note: String?
  }

  /// Labels a photo.
  func label(_ id: PhotoID, _ photo: SourcePhoto) throws -> Said {
    var said = Said()
    guard request.takesLabels, !photo.classes.isEmpty,
      let model = request.source.annotator.flatMap({ Annotator($0) })
    else { return said }
    said.classes = try photo.classes.compactMap { try name(of: $0, &said.note) }
    if said.classes.isEmpty { return said }
    let run = try run ?? dataset.startRun(model, parameters: parameters).id
    self.run = run
    var statement = Statement(annotator: model, run: run)
    statement.source = request.source.rawValue
    _ = try dataset.label([id], said.classes, statement)
    return said
  }

  private var parameters: JSONObject {
    var parameters: JSONObject = ["source": .string(request.source.rawValue)]
    parameters["text"] = request.query.text.map { .string($0) }
    return parameters
  }

  /// Returns the first of the names of a class that the dataset knows, aliases among them, else the
  /// first that can be one; nil where one means several classes and none means one.
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
