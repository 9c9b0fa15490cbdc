internal import Cairn
internal import Hummingbird

/// The jobs: their progress and results.
enum JobRoutes {
  static let all = [
    Route(.get, "/api/jobs", list), Route(.get, "/api/jobs/:job", job),
    Route(.delete, "/api/jobs/:job", cancel),
  ]

  private static func list(_ request: APIRequest) async throws -> Response {
    .json([("jobs", .array(request.server.jobs.all.map(\.json)))])
  }

  private static func job(_ request: APIRequest) async throws -> Response {
    .json(try request.server.jobs.job(request.parameter("job")).json)
  }

  private static func cancel(_ request: APIRequest) async throws -> Response {
    let job = try request.server.jobs.job(request.parameter("job"))
    job.cancel()
    return .json(job.json, status: .accepted)
  }
}
