internal import Cairn
internal import CairnBase
internal import Hummingbird

/// Tables: one row per photo and class.
enum TableRoutes {
  static let all = [
    Route(.post, "/api/tables", isWrite: false, create), Route(.get, "/api/tables/:table", rows),
    Route(.get, "/api/tables/:table/csv", csv),
  ]

  /// Maximum number of rows of a page.
  private static let rowLimit = 500

  private static func create(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let query = try PhotoQuery(body.text("query") ?? "")
    let order = try body.choice("sort", default: TableOrder.photo)
    let isReversed = try body.flag("descending")
    let wanted = body["filter"]?.object ?? JSONObject()
    let (partial, className) = (try TableFilter(wanted), try wanted.text("class"))
    let cells = try await request.server.library.read(as: request.session.person) { dataset in
      var filter = partial
      filter.classKey = try className.map { try dataset.classKey($0) }
      return try dataset.tableCells(query, filter, by: order, isReversed: isReversed)
    }
    let name = request.session.tables.add(ResultTable(cells: cells))
    return .json([("count", JSON(cells.count)), ("table", .string(name))], status: .created)
  }

  private static func rows(_ request: APIRequest) async throws -> Response {
    let table = try request.session.tables.get(request.parameter("table"))
    let start = try request.integer("from", 0...Int(Int32.max), default: 0)
    let count = try request.integer("count", 1...rowLimit, default: 200)
    let cells = Array(table.cells.dropFirst(start).prefix(count))
    let rows = try await request.server.library.read(as: nil) { dataset in
      try dataset.withIndex(updating: false) { try $0.tableRows(of: cells) }
    }
    return .json([("from", JSON(start)), ("rows", .array(rows.map(\.json)))])
  }

  // MARK: CSV

  private static func csv(_ request: APIRequest) async throws -> Response {
    let table = try request.session.tables.get(request.parameter("table"))
    let library = request.server.library
    let body = ResponseBody { writer in
      let header = [
        "photo", "name", "class", "className", "state", "confidence", "taken", "pin",
        "predictions", "verdicts",
      ]
      try await writer.write(ByteBuffer(string: header.joined(separator: ",") + "\r\n"))
      for start in stride(from: 0, to: table.cells.count, by: rowLimit) {
        let cells = Array(table.cells[start...].prefix(rowLimit))
        let rows = try await library.read(as: nil) { dataset in
          try dataset.withIndex(updating: false) { try $0.tableRows(of: cells) }
        }
        try await writer.write(ByteBuffer(string: rows.map(\.csv).joined()))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8",
        .contentDisposition: "attachment; filename=\"labels.csv\"",
      ], body: body)
  }
}

extension TableFilter {
  /// Reads a filter, except for its class.
  fileprivate init(_ json: JSONObject) throws {
    self.init()
    if try json.text("photo") != nil { photo = try json.photo() }
    state = try json.text("state").map { name in
      guard let state = Resolution.State(rawValue: name) else {
        throw ServeError.invalid("“\(name)” is not a state.")
      }
      return state
    }
    if let value = json["confidence"], !value.isNull {
      guard let least = value.double, 0...1 ~= least else {
        throw ServeError.invalid("“confidence” must be a number from 0 to 1.")
      }
      confidence = least
    }
    annotators = [
      try json.text("model").flatMap { Annotator(model: $0) },
      try json.text("person").flatMap { Annotator(email: $0) },
    ].compactMap { $0 }
    day = try json.text("day").map { text in
      let parts = text.split(separator: "-").compactMap { Int($0) }
      guard text.count == 10, parts.count == 3,
        let date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
      else { throw ServeError.invalid("“day” must be a day, such as 2024-05-31.") }
      return date.daysSince1970
    }
    pin = try json.text("pin").map { text -> PinChoice in
      if text == "none" { return .withoutPin }
      guard let id = PinID(text) else { throw ServeError.invalid("“\(text)” is not a pin.") }
      return .pin(id)
    }
  }
}

extension TableRow {
  fileprivate var json: JSON {
    [
      "class": .string(classKey.text), "className": .string(className),
      "confidence": JSON(confidence), "name": .string(name), "photo": .string(photo.description),
      "pin": JSON(pin?.text),
      "predictions": .array(
        verdicts.filter { !$0.annotator.isHuman }.map {
          [
            "confidence": JSON($0.confidence), "model": .string($0.annotator.identity),
            "verdict": $0.isPresent ? "present" : "absent",
          ]
        }), "state": .string(state.rawValue), "taken": JSON(taken),
      "verdicts": .array(
        verdicts.filter(\.annotator.isHuman).map {
          [
            "person": .string($0.annotator.identity),
            "verdict": $0.isPresent ? "present" : "absent",
          ]
        }),
    ]
  }

  /// The row as CSV.
  fileprivate var csv: String {
    func text(_ verdict: Verdict) -> String {
      "\(verdict.annotator.identity) \(verdict.isPresent ? "present" : "absent")"
    }
    let predictions = verdicts.filter { !$0.annotator.isHuman }
      .map { "\(text($0)) \($0.confidence)" }
    let cells = [
      photo.description, name, classKey.text, className, state.rawValue, "\(confidence)",
      taken ?? "", pin?.text ?? "", predictions.joined(separator: "; "),
      verdicts.filter(\.annotator.isHuman).map(text).joined(separator: "; "),
    ]
    return csvRow(cells.map(TableRow.withoutFormula))
  }

  /// Spreadsheets would run a cell that begins like a formula.
  private static func withoutFormula(_ text: String) -> String {
    let isFormula =
      text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
    return isFormula ? "'" + text : text
  }
}
