internal import Foundation
internal import SystemPackage

/// Local stand-ins for the services that photos are fetched from: see `photo_services.py`.
package final class PhotoServices {
  private let server: PythonServer
  private let directory = TemporaryDirectory()

  /// A request that was received.
  package struct Request: Decodable {
    package let path: String
    package let query: [String: String]
    /// Names in lower case.
    package let headers: [String: String]
    /// The number of requests in flight, including this one.
    package let running: Int
  }

  /// - Parameter plan: The number of photos and the faults, as JSON.
  package init(_ plan: String = "{}") throws {
    server = try PythonServer(
      "Support/Programs/photo_services.py", [directory.root.string, plan])
  }

  package var port: Int { server.port }

  /// Stops the services, which is like a network failure.
  package func stop() { server.stop() }

  package var base: String { "http://127.0.0.1:\(port)" }

  /// Returns the base URL of a service.
  package func url(_ service: String) -> String {
    switch service {
    case "commons": "\(base)/commons/w/api.php"
    case "inaturalist", "openverse": "\(base)/\(service)/v1/"
    case "dog.ceo": "\(base)/dogceo/api/"
    default: "\(base)/\(service)/"
    }
  }

  /// Returns the requests to paths with this prefix, in order.
  package func requests(_ path: String = "/") -> [Request] {
    let text = (try? String(contentsOf: directory.url("log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .compactMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
      .filter { $0.path.hasPrefix(path) }
  }
}
