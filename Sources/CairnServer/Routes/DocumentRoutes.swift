internal import Hummingbird

/// The description of the API for programs.
enum DocumentRoutes {
  static let all = [Route(.get, "/api/openapi.json", document)]

  private static func document(_ request: APIRequest) async throws -> Response {
    .bytes(PageFiles.openAPI, type: "application/json; charset=utf-8")
  }
}
