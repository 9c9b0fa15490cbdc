internal import Cairn
internal import CairnBase
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// A request for a route, by a session.
struct APIRequest: Sendable {
  let http: Request
  /// The parts of the path that the route names.
  let parameters: [String: String]
  let session: Session
  let server: ServerState
  private let items: [String: String]

  init(
    _ http: Request, _ parameters: [String: String], _ session: Session, _ server: ServerState
  ) throws {
    (self.http, self.parameters, self.session, self.server) = (http, parameters, session, server)
    items = try http.queryItems()
  }

  /// The random name of the client's tab, which events report to it.
  var client: String? {
    http.headers[.cairnClient].flatMap { $0.utf8.count <= 32 ? $0 : nil }
  }

  // MARK: Parameters

  subscript(item: String) -> String? { items[item] }

  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  func photoID() throws -> PhotoID {
    guard let id = PhotoID(parameter("photo")) else {
      throw ServeError.invalid("“\(parameter("photo"))” is not the id of a photo.")
    }
    return id
  }

  /// Returns an integer parameter of the query.
  func integer(
    _ name: String, _ range: ClosedRange<Int>, default value: Int? = nil
  ) throws -> Int {
    guard let text = items[name] else {
      if let value { return value }
      throw ServeError.invalid("“\(name)” is missing.")
    }
    guard let number = Int(text), range ~= number else {
      throw ServeError.invalid(
        "“\(name)” must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func number(_ name: String) throws -> Double {
    guard let number = items[name].flatMap({ Double($0) }), number.isFinite else {
      throw ServeError.invalid("“\(name)” must be a number.")
    }
    return number
  }

  // MARK: Body

  /// Maximum size of a JSON body in bytes.
  static let bodyLimit = 1 << 20

  /// The type of the body, in lower case and without parameters.
  var contentType: String {
    let type = http.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
    return type.filter { $0 != " " }
  }

  /// Returns the body, which must be a JSON object.
  func body() async throws -> JSONObject {
    guard contentType == "application/json" else {
      throw ServeError(
        status: .unsupportedMediaType, kind: "usage",
        message: "The body must be JSON, with Content-Type: application/json.")
    }
    let tooLarge = ServeError.tooLarge("request", APIRequest.bodyLimit)
    let buffer = try await bytes(limit: APIRequest.bodyLimit, or: tooLarge)
    do {
      guard let object = try JSON(bytes: buffer.readableBytesView).object else {
        throw ServeError.invalid("The body must be a JSON object.")
      }
      return object
    } catch let error as DocumentError {
      throw ServeError.invalid("The body is not JSON: \(error).")
    }
  }
}

extension APIRequest {
  /// Returns the bytes of the body.
  ///
  /// - Parameters:
  ///   - limit: Their maximum number.
  ///   - error: Thrown if there are more.
  func bytes(limit: Int, or error: ServeError) async throws -> ByteBuffer {
    if let length = http.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw error
    }
    do {
      return try await http.body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw error
    }
  }
}

extension Request {
  /// Returns the decoded items of the query; of items with the same name, the last one.
  func queryItems() throws -> [String: String] {
    guard let query = uri.query else { return [:] }
    var items: [String: String] = [:]
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { PercentEncoding.decoded($0.replacing("+", with: " ")) }
      guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "" else {
        throw ServeError.invalid("The query of the address is not valid.")
      }
      items[name] = value
    }
    return items
  }
}

extension JSONObject {
  func text(_ name: String) throws -> String? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let text = value.string else { throw ServeError.invalid("“\(name)” must be a string.") }
    return text
  }

  func required(_ name: String) throws -> String {
    guard let text = try text(name) else { throw ServeError.invalid("“\(name)” is missing.") }
    return text
  }

  func flag(_ name: String, default value: Bool = false) throws -> Bool {
    guard let json = self[name], !json.isNull else { return value }
    guard let flag = json.bool else {
      throw ServeError.invalid("“\(name)” must be true or false.")
    }
    return flag
  }

  func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let number = value.int, range ~= number else {
      throw ServeError.invalid(
        "“\(name)” must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func texts(_ name: String) throws -> [String] {
    guard let value = self[name], !value.isNull else { return [] }
    guard let array = value.array, array.count <= 1_000 else {
      throw ServeError.invalid("“\(name)” must be a list of at most 1000 strings.")
    }
    return try array.map { item in
      guard let text = item.string else {
        throw ServeError.invalid("“\(name)” must be a list of strings.")
      }
      return text
    }
  }

  /// Returns a value that is one of the names of `Value`.
  func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, default value: Value
  ) throws -> Value where Value.RawValue == String {
    guard let text = try text(name) else { return value }
    guard let choice = Value(rawValue: text) else {
      let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw ServeError.invalid("“\(name)” must be one of \(all).")
    }
    return choice
  }

  func photo(_ name: String = "photo") throws -> PhotoID {
    let text = try required(name)
    guard let id = PhotoID(text) else {
      throw ServeError.invalid("“\(text)” is not the id of a photo.")
    }
    return id
  }

  func photos(_ name: String, limit: Int) throws -> [PhotoID] {
    guard let array = self[name]?.array, array.count <= limit else {
      throw ServeError.invalid("“\(name)” must be a list of at most \(limit) photos.")
    }
    return try array.map { item in
      guard let id = item.string.flatMap({ PhotoID($0) }) else {
        throw ServeError.invalid("“\(name)” must be a list of photo ids.")
      }
      return id
    }
  }
}
