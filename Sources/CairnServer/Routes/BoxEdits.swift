internal import Cairn
internal import CairnBase
internal import Hummingbird

/// Boxes: drawn, moved and removed one at a time.
enum BoxEdits {
  static func edit(
    _ name: String, _ body: JSONObject, _ request: APIRequest
  ) async throws -> Response {
    let photo = try body.photo()
    let box = try body["box"].flatMap { $0.isNull ? nil : $0 }.map { try NormalizedRect($0) }
    let className = try body.text("class")
    let create = Set(try body.texts("create"))
    let label = try body.text("label").map { text in
      guard let label = LabelName(text) else {
        throw ServeError.invalid("“\(text)” is not the name of a label.")
      }
      return label
    }
    let expected = try body.text("expect")
    typealias Done = (label: LabelName?, report: UndoableEditor.Report, text: String)
    let outcome = try await request.server.library.write(as: request.session.person) {
      dataset, state -> Checked<Done> in
      if let conflict = try dataset.conflict(photo, expecting: expected) {
        return .conflict(conflict)
      }
      try dataset.checkClasses([className].compactMap { $0 }, creating: create)
      let editor = try state.editor(dataset)
      switch name {
      case "box":
        guard let box, let className else {
          throw ServeError.invalid("A box needs “box” and “class”.")
        }
        let text = "\(className) in a box"
        let (label, report) = try editor.addBox(box, className, to: photo, as: text)
        return .done((label, report, text))
      case "moveBox":
        guard let label else { throw ServeError.invalid("“label” is missing.") }
        let (moved, report) = try editor.editBox(
          label, of: photo, to: box, className: className, as: "Box changed")
        return .done((moved, report, "Box changed"))
      default:
        guard let label else { throw ServeError.invalid("“label” is missing.") }
        let report = try editor.removeBox(label, of: photo, as: "Box removed")
        return .done((nil, report, "Box removed"))
      }
    }
    let done = try outcome.value(request.server)
    let rows = try await request.rows(of: [photo])
    request.didEdit([photo], createdClasses: !create.isEmpty)
    var json = done.report.json(done.text, rows).object ?? [:]
    json["label"] = JSON(done.label?.description)
    json["region"] = JSON(done.label?.region?.description)
    return .json(.object(json))
  }
}
