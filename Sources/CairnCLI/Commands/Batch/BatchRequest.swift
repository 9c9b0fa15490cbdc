import Cairn
import CairnBase

/// A request of `cairn batch`.
struct BatchRequest {
  private let request: JSON
  private let dataset: Dataset

  init(_ request: JSON, _ dataset: Dataset) { (self.request, self.dataset) = (request, dataset) }

  /// Carries out the request and returns its result.
  ///
  /// - Parameter item: Receives the items of a long result, as soon as each is found.
  func answer(_ item: (JSON) -> Void) throws -> JSON {
    let action = try text("do")
    if try optional("continues", \.bool) ?? false {
      dataset.continueOperation("batch: \(action)")
    } else {
      dataset.beginOperation("batch: \(action)")
    }
    switch action {
    case "find": return try find(item)
    case "count": return ["count": JSON(try dataset.count(query()))]
    case "show": return try dataset.show(photo()).rendered
    case "why":
      return try dataset.why(photo(), className: optional("class", \.string)).rendered
    case "label": return try label()
    case "label each": return try labelEach()
    case "unlabel":
      return try dataset.unlabel(photos(), text("class"), annotator: model()).rendered
    case "accept", "reject":
      return try dataset.review(photos(), text("class"), accepting: action == "accept").rendered
    case "run start":
      return try dataset.startRun(
        annotator(model: text("model")), parameters: optional("parameters", \.object) ?? [:]
      ).rendered()
    case "run list":
      return .array(try dataset.runs().map { $0.run.rendered(labels: $0.labels) })
    case "run withdraw":
      let run = try dataset.run(text("run"))
      return try dataset.setRunWithdrawn(run.id, true).run.rendered()
    case "class list": return .array(try dataset.classes().map(\.rendered))
    case "split list": return .array(try dataset.splits().map { $0.split.rendered($0.name) })
    case "thumbnail":
      let image = try dataset.thumbnail(of: photo())
      // Base64 of whole groups; what follows the end of a JPEG is ignored.
      return .string(Base64.text(image + [UInt8](repeating: 0, count: (3 - image.count % 3) % 3)))
    case "image": return .string(try dataset.imageFile(of: photo()).string)
    default:
      throw CairnError(
        .usage, "Unknown request “\(action)”.", hint: "`cairn help batch` lists the requests.")
    }
  }

  private func find(_ item: (JSON) -> Void) throws -> JSON {
    let name = try optional("sort", \.string) ?? "id"
    guard let order = PhotoOrder(named: name) else {
      throw CairnError(.invalidInput, "“\(name)” is not a sort order.")
    }
    let isWithLabels = try optional("labels", \.bool) ?? false
    let split = try optional("split", \.string).map(dataset.split(named:))
    var found = 0
    try dataset.forEachPhoto(
      query(), by: order, isReversed: optional("reverse", \.bool) ?? false,
      offset: number("offset") ?? 0, limit: number("limit")
    ) { photo in
      var object = photo.rendered.object ?? [:]
      if isWithLabels {
        object["labels"] = .array(try dataset.show(photo.photo.id).labels.map(\.rendered))
      }
      object["split"] = split.map { .string($0.subset(of: photo.photo)) }
      item(.object(object))
      found += 1
    }
    return ["count": JSON(found)]
  }

  private func label() throws -> JSON {
    let classes = try texts("classes")
    let assertion = try assertion(request)
    try requireClasses(classes, assertion)
    return try dataset.label(photos(), classes, assertion).rendered
  }

  private func labelEach() throws -> JSON {
    guard let items = request["labels"]?.array else {
      throw CairnError(.invalidInput, "The request needs “labels”.")
    }
    let assertions = try items.map { item in
      guard let photo = item["photo"]?.string, let name = item["class"]?.string else {
        throw CairnError(.invalidInput, "A label needs “photo” and “class”.")
      }
      return try PhotoAssertion(id(photo), name, assertion(item))
    }
    if let first = assertions.first {
      try requireClasses(Set(assertions.map(\.className)).sorted(), first.assertion)
    }
    return try dataset.label(assertions).rendered
  }

  /// Reads the verdict and the details of a label; the request names its model or its run.
  private func assertion(_ members: JSON) throws -> LabelAssertion {
    let text = try optional("verdict", \.string, of: members) ?? "present"
    guard let verdict = Verdict(rawValue: text), verdict != .withdrawn else {
      throw CairnError(.invalidInput, "“\(text)” is neither “present” nor “absent”.")
    }
    let confidence = try optional("confidence", \.double, of: members) ?? 1
    var assertion = LabelAssertion(verdict, confidence: confidence)
    if let model = try model() {
      assertion = LabelAssertion(verdict, by: model, confidence: confidence)
    }
    assertion.run = try optional("run", \.string).map { try RunID($0) ?? dataset.run($0).id }
    assertion.text = try optional("text", \.string, of: members)
    if let box = try optional("box", \.array, of: members) {
      let numbers = box.compactMap(\.double)
      guard numbers.count == 4, box.count == 4 else {
        throw CairnError(.invalidInput, "“box” is not x, y, width and height.")
      }
      assertion.box = NormalizedRect(
        x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
    return assertion
  }

  /// Checks that classes exist, unless the request or a model may create them.
  private func requireClasses(_ classes: [String], _ assertion: LabelAssertion) throws {
    let isByModel = assertion.annotator != nil || assertion.run != nil
    if try isByModel || optional("create", \.bool) ?? false || dataset.createsClasses() { return }
    for name in try dataset.unknownClasses(among: classes) {
      throw CairnError(
        .notFound, name.sentence, hint: name.suggestion ?? "To create it, add \"create\": true.")
    }
  }

  // MARK: Members

  private func text(_ member: String) throws -> String {
    guard let text = request[member]?.string else {
      throw CairnError(.invalidInput, "The request needs “\(member)”, a string.")
    }
    return text
  }

  private func texts(_ member: String) throws -> [String] {
    guard let items = request[member]?.array, !items.isEmpty,
      case let texts = items.compactMap(\.string), texts.count == items.count
    else {
      throw CairnError(.invalidInput, "The request needs “\(member)”, a list of strings.")
    }
    return texts
  }

  /// Returns an optional member of the request, or of one of its labels; nil if it is not there or
  /// null.
  private func optional<Value>(
    _ member: String, _ value: (JSON) -> Value?, of members: JSON? = nil
  ) throws -> Value? {
    guard let json = (members ?? request)[member], !json.isNull else { return nil }
    guard let value = value(json) else {
      throw CairnError(
        .invalidInput, "“\(member)” has the wrong type.",
        hint: "`cairn help batch` shows an example of each member.")
    }
    return value
  }

  /// Returns an optional number of photos.
  private func number(_ member: String) throws -> Int? {
    let number = try optional(member, \.int)
    guard number ?? 0 >= 0 else {
      throw CairnError(.invalidInput, "“\(member)” is negative.")
    }
    return number
  }

  private func query() throws -> PhotoQuery {
    try photoQuery(optional("query", \.string) ?? "")
  }

  private func photo() throws -> PhotoID { try id(text("photo")) }

  private func photos() throws -> [PhotoID] { try texts("photos").map(id) }

  /// A whole id needs no search for photos that begin with it.
  private func id(_ text: String) throws -> PhotoID {
    try PhotoID(text) ?? dataset.photoID(text, relativeTo: currentDirectory())
  }

  private func model() throws -> Annotator? {
    try optional("as", \.string).map(annotator(model:))
  }
}
