internal import Cairn
internal import CairnBase
internal import CairnDocument
internal import Hummingbird

/// Boxes and outlines: drawn, reshaped and removed one at a time.
enum RegionEdits {
  static func edit(
    _ name: String, _ body: JSONObject, _ request: APIRequest
  ) async throws -> Response {
    let photo = try body.photo()
    let shape = try body.shape()
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
        return .conflict(conflict.now, by: conflict.by)
      }
      try dataset.checkClasses([className].compactMap { $0 }, creating: create)
      let editor = try state.editor(dataset)
      switch name {
      case "box":
        guard let shape, let className else {
          throw ServeError.invalid("A region needs “box” or “polygons”, and “class”.")
        }
        let text = shape.isOutline ? "\(className) as an outline" : "\(className) in a box"
        let (label, report) = try editor.addRegion(shape, className, to: photo, as: text)
        return .done((label, report, text))
      case "moveBox":
        guard let label else { throw ServeError.invalid("“label” is missing.") }
        let text = shape?.isOutline == true ? "Outline changed" : "Box changed"
        let (moved, report) = try editor.editRegion(
          label, of: photo, to: shape, className: className, as: text)
        return .done((moved, report, text))
      default:
        guard let label else { throw ServeError.invalid("“label” is missing.") }
        let report = try editor.removeRegion(label, of: photo, as: "Box removed")
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

extension JSONObject {
  /// Returns the shape of a region, of `box` or `polygons`; nil if there is neither.
  fileprivate func shape() throws -> RegionShape? {
    let box = self["box"].flatMap { $0.isNull ? nil : $0 }
    let polygons = self["polygons"].flatMap { $0.isNull ? nil : $0 }
    switch (box, polygons) {
    case (nil, nil): return nil
    case (let box?, nil): return .box(try NormalizedRect(box))
    case (nil, let polygons?):
      do {
        return .outline(try [Polygon](json: polygons))
      } catch {
        throw ServeError.invalid(
          "“polygons” must be a list of polygons, each a list of rings [x, y, x, y, …] of at least "
            + "3 points within the photo; at most \(DocumentLimit.polygonPoints) points.")
      }
    case (_?, _?): throw ServeError.invalid("Give “box” or “polygons”, not both.")
    }
  }
}

extension RegionShape {
  fileprivate var isOutline: Bool { if case .outline = self { true } else { false } }
}
