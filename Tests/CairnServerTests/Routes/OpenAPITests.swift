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

  @Test("declares what every request may be answered: another host, or too many requests")
  func declaresRefusals() async throws {
    let scene = try await ServerScene.start()
    let document = try await scene.get("/api/openapi.json")
    let paths = try #require(document["paths"]?.object)
    for path in paths.members {
      for operation in path.value.object?.members ?? [] {
        let responses = operation.value["responses"]
        for (status, name) in [("421", "Misdirected"), ("429", "Busy")] {
          #expect(
            responses?[status]?["$ref"]?.string == "#/components/responses/\(name)",
            "\(status) of \(operation.key) \(path.key)")
          #expect(document["components"]?["responses"]?[name]?.object != nil)
        }
      }
    }
  }
}
