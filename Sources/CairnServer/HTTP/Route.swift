internal import Hummingbird

/// A route of the API.
struct Route: Sendable {
  typealias Handler = @Sendable (APIRequest) async throws -> Response

  let method: HTTPRequest.Method
  /// The parts of the path; a part that begins with “:” stands for any text.
  let pattern: [String]
  let handler: Handler
  /// Whether it may change documents, which read-only sessions may not.
  let isWrite: Bool

  /// - Parameter isWrite: False for a request that changes no document, though it is not a GET.
  init(
    _ method: HTTPRequest.Method, _ path: String, isWrite: Bool = true,
    _ handler: @escaping Handler
  ) {
    (self.method, self.handler) = (method, handler)
    self.isWrite = isWrite && method != .get
    pattern = path.split(separator: "/").map(String.init)
  }

  var path: String { "/" + pattern.joined(separator: "/") }

  /// Returns the parts of a path that the pattern names; nil if the path does not match it.
  func match(_ path: [Substring]) -> [String: String]? {
    guard path.count == pattern.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, text) in zip(pattern, path) {
      if part.hasPrefix(":") {
        parameters[String(part.dropFirst())] = String(text)
      } else if part != text {
        return nil
      }
    }
    return parameters
  }
}

/// The routes, found by method and path.
struct RouteTable: Sendable {
  let routes: [Route]
  private let byLength: [Int: [Route]]

  init(_ routes: [Route]) {
    self.routes = routes
    byLength = Dictionary(grouping: routes) { $0.pattern.count }
  }

  enum Match {
    case found(Route, [String: String])
    /// The path exists with these methods.
    case otherMethods([HTTPRequest.Method])
    case none
  }

  func match(_ method: HTTPRequest.Method, _ path: Substring) -> Match {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let method = method == .head ? .get : method
    var methods: [HTTPRequest.Method] = []
    // Fixed parts precede named ones: `/api/pins/query` before `/api/pins/:pin`.
    for route in byLength[parts.count] ?? [] {
      guard let parameters = route.match(Array(parts)) else { continue }
      if route.method == method { return .found(route, parameters) }
      methods.append(route.method)
    }
    return methods.isEmpty ? .none : .otherMethods(methods)
  }
}
