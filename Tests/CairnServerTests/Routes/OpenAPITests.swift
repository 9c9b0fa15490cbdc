import CairnDocument
import HTTPTypes
import Testing

@testable import CairnServer

@Suite("OpenAPI", .serialized)
struct OpenAPITests {
  @Test("describes every route, and no other")
  func describesRoutes() async throws {
    let scene = try await ServerScene.start()
    let document = try await scene.get("/api/openapi.json")
    #expect(document["openapi"]?.string == "3.1.0")
    let paths = try #require(document["paths"]?.object)
    let described = paths.members.flatMap { path in
      path.value.object?.members.map { "\($0.key.uppercased()) \(path.key)" } ?? []
    }
    let routes = PageServer.routes.routes.map { route in
      let path = route.pattern.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
      return "\(route.method.rawValue) /\(path.joined(separator: "/"))"
    }
    #expect(described.sorted() == routes.sorted())
  }
}
