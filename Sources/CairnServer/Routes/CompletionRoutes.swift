internal import Cairn
internal import Hummingbird

/// Completion of queries while they are typed.
enum CompletionRoutes {
  static let all = [Route(.get, "/api/complete", complete)]

  private static func complete(_ request: APIRequest) async throws -> Response {
    let text = request["text"] ?? ""
    guard text.utf16.count <= 4_096 else { throw ServeError.invalid("“text” is too long.") }
    let at = try request.integer("at", 0...text.utf16.count, default: text.utf16.count)
    let completion = try await request.server.library.read(as: request.session.person) {
      try $0.queryCompletion(of: text, at: at)
    }
    return .json([
      (
        "candidates",
        .array(
          completion.candidates.prefix(20).map {
            [
              "detail": .string($0.detail), "kind": .string($0.kind.rawValue),
              "text": .string($0.quoted),
            ]
          })
      ), ("from", JSON(completion.start)), ("to", JSON(at)),
    ])
  }
}
