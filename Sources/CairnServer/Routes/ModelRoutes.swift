internal import Cairn
internal import CairnBase
internal import Hummingbird

/// Labelers, their predictions, and runs.
enum ModelRoutes {
  static let all = [
    Route(.get, "/api/labelers", labelers), Route(.post, "/api/predictions", predict),
    Route(.get, "/api/runs", runs), Route(.post, "/api/runs/:run/withdraw", withdraw),
    Route(.post, "/api/runs/:run/restore", restore),
  ]

  private static func labelers(_ request: APIRequest) async throws -> Response {
    let labelers = try await request.server.library.read(as: nil) { try $0.labelers() }
    return .json([("labelers", .array(labelers.map(\.summary)))])
  }

  private static func predict(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let name = try body.required("labeler")
    var options = PredictionOptions()
    options.top = try body.integer("top", 1...1_000) ?? options.top
    options.minimumScore = body["minimum"]?.double ?? options.minimumScore
    options.includesPredicted = try body.flag("again")
    options.isRetry = try body.flag("retry")
    let target =
      try body.text("set") == nil ? nil : EditTarget(.object(body), in: request.session)
    let query = try body.text("query").flatMap { $0.isEmpty ? nil : try PhotoQuery($0) }
    let (server, person, settings) = (request.server, request.session.person, options)
    let job = try server.jobs.start("predict", "Predictions by \(name)", person) { job in
      // What was predicted before an error or a cancellation stays.
      defer {
        server.noteEdit()
        server.sendPhotos(nil, by: person)
        server.events.send("runs", [:])
        server.events.send("classes", [:])
      }
      let report = try await server.library.runLong(as: person, for: job) { dataset in
        let labeler = try dataset.labeler(name)
        var photos = try target?.photos(in: dataset)
        if photos == nil, let query { photos = try dataset.find(query) }
        var options = settings
        options.onWrite = { job.keep($0.json) }
        return try dataset.predict(photos, with: labeler, options: options)
      }
      job.keep(report.json)
      if let end = report.end { throw end }
      return report.json
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }

  private static func runs(_ request: APIRequest) async throws -> Response {
    let runs = try await request.server.library.read(as: nil) { try $0.runs() }
    return .json([("runs", .array(runs.map { $0.run.json(labels: $0.labels) }))])
  }

  private static func withdraw(_ request: APIRequest) async throws -> Response {
    try await set(true, request)
  }

  private static func restore(_ request: APIRequest) async throws -> Response {
    try await set(false, request)
  }

  private static func set(_ isWithdrawn: Bool, _ request: APIRequest) async throws -> Response {
    let text = request.parameter("run")
    guard let id = RunID(text) else {
      throw ServeError.invalid("“\(text)” is not the id of a run.")
    }
    let (run, report) = try await request.server.library.write(as: request.session.person) {
      try $1.editor($0).setRunWithdrawn(id, isWithdrawn)
    }
    request.server.noteEdit()
    request.server.events.send("runs", [:])
    request.server.sendPhotos(nil, by: request.session.person, request.client)
    return .json([
      ("action", JSON(report.action.map { "a\($0)" })), ("run", run.json(labels: nil)),
    ])
  }
}

extension LabelerDescription {
  fileprivate var summary: JSON {
    // Without commands and settings: they may reveal paths and names of keys.
    let kind =
      switch self.kind {
      case .service: "service"
      case .program: "program"
      case .onnx: "onnx"
      case .trained, .stored: "trained"
      }
    return ["kind": .string(kind), "model": JSON(model?.identity), "name": .string(name)]
  }
}

extension Run {
  func json(labels: Int?) -> JSON {
    [
      "by": .string(by.identity), "labels": labels.map { JSON($0) } ?? .null,
      "model": .string(annotator.identity), "parameters": members["parameters"] ?? .null,
      "run": .string(id.text),
      "started": .string(RFC3339.text(milliseconds: started.milliseconds)),
      "withdrawn": .bool(withdrawn.value),
    ]
  }
}

extension PredictionReport {
  fileprivate var json: JSON {
    [
      "empty": JSON(empty), "erasedImages": JSON(erasedImages),
      "failed": .array(
        failed.prefix(200).map {
          ["photo": .string($0.photo.description), "reason": .string($0.reason)]
        }), "labels": JSON(labels), "missingImages": JSON(missingImages.count),
      "model": .string(model.identity), "photos": JSON(photos), "run": JSON(run?.id.text),
      "skipped": JSON(skipped),
    ]
  }
}
