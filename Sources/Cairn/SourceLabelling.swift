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

  /// Labels a photo.
  ///
  /// - Returns: The names of its classes.
  func label(_ id: PhotoID, _ photo: SourcePhoto) throws -> [String] {
    guard request.takesLabels, !photo.classes.isEmpty,
      let model = request.source.annotator.flatMap({ Annotator($0) })
    else { return [] }
    let names = try photo.classes.compactMap(name)
    if names.isEmpty { return [] }
    let run = try run ?? dataset.startRun(model, parameters: parameters).id
    self.run = run
    var statement = Statement(annotator: model, run: run)
    statement.source = request.source.rawValue
    _ = try dataset.label([id], names, statement)
    return names
  }

  private var parameters: JSONObject {
    var parameters: JSONObject = ["source": .string(request.source.rawValue)]
    parameters["text"] = request.query.text.map { .string($0) }
    return parameters
  }

  /// Returns the first of the names of a class that the dataset knows, aliases among them, else the
  /// first that can be one.
  private func name(of names: [String]) throws -> String? {
    let usable = names.filter { ClassKey(naming: $0) != nil }
    // A name that means several classes says nothing.
    return usable.first { ((try? dataset.knownClassKey(named: $0)) ?? nil) != nil } ?? usable.first
  }
}
