internal import Cairn
internal import Hummingbird

/// An error of the server itself. Those of the library are ``CairnError``s.
struct ServeError: Error {
  let status: HTTPResponse.Status
  let kind: String
  let message: String
  var hint: String?
  var retrySeconds: Int?
  /// Further members of the response.
  var members: [(String, JSON)] = []

  static let unauthorized = ServeError(
    status: .unauthorized, kind: "unauthorized", message: "The session has ended.",
    hint: ServeError.newLink)
  /// How a person, invited or not, starts a new session.
  static let newLink =
    "Ask the person who sent you the link for a new one; on your own computer, run `cairn serve` again."
  static let noRoute = ServeError(
    status: .notFound, kind: "not-found", message: "Nothing was found at this address.")
  static let readOnly = ServeError(
    status: .forbidden, kind: "permission", message: "This session is read-only.")

  static func invalid(_ message: String, hint: String? = nil) -> ServeError {
    ServeError(status: .badRequest, kind: "invalid-input", message: message, hint: hint)
  }

  /// Something that a client created and that has expired.
  static func gone(_ message: String) -> ServeError {
    ServeError(status: .gone, kind: "gone", message: message)
  }

  static func tooMany(_ what: String) -> ServeError {
    ServeError(
      status: .tooManyRequests, kind: "busy", message: "Too many \(what) at once.",
      retrySeconds: 1)
  }

  /// - Parameter limit: In bytes, whole MiB.
  static func tooLarge(_ what: String, _ limit: Int) -> ServeError {
    ServeError(
      status: .contentTooLarge, kind: "too-large",
      message: "The \(what) is larger than \(limit >> 20) MiB.")
  }

  static let tooManyPhotos = ServeError(
    status: .contentTooLarge, kind: "too-large",
    message: "These are too many photos for one request.",
    hint: "Use “Select all”, or select fewer.")

  static let busy = ServeError(
    status: .serviceUnavailable, kind: "busy", message: "The server is too busy.",
    retrySeconds: 1)

  /// A training while another one runs.
  static let training = ServeError(
    status: .conflict, kind: "busy", message: "Another training is running.",
    hint: "Wait until it has ended, or cancel it.")

  /// A similarity map while another one is computed.
  static let similarity = ServeError(
    status: .conflict, kind: "busy", message: "The similarity map is being computed.",
    hint: "Wait until it has ended, or cancel it.")

  /// A change that is based on a state that no longer exists.
  static func conflict(_ message: String, _ members: [(String, JSON)]) -> ServeError {
    ServeError(status: .conflict, kind: "conflict", message: message, members: members)
  }

  static func unconfirmed(_ unknown: [UnknownClass]) -> ServeError {
    let names = unknown.map { "“\($0.name)”" }.joined(separator: ", ")
    return ServeError(
      status: .unprocessableContent, kind: "unconfirmed",
      message: "There is no class \(names). Create it?",
      members: [
        (
          "unknown",
          .array(
            unknown.map {
              [
                "name": .string($0.name),
                "suggestions": .array($0.suggestions.map { .string($0) }),
              ]
            })
        )
      ])
  }

  init(
    status: HTTPResponse.Status, kind: String, message: String, hint: String? = nil,
    retrySeconds: Int? = nil, members: [(String, JSON)] = []
  ) {
    (self.status, self.kind, self.message) = (status, kind, message)
    (self.hint, self.retrySeconds, self.members) = (hint, retrySeconds, members)
  }

  /// Translates any error.
  init(_ error: any Error) {
    if let error = error as? ServeError {
      self = error
      return
    }
    if let error = error as? HTTPError {
      self.init(
        status: error.status, kind: error.status == .contentTooLarge ? "too-large" : "usage",
        message: error.body ?? error.status.reasonPhrase)
      return
    }
    let error = CairnError(error)
    self.init(
      status: error.kind.status, kind: error.kind.rawValue, message: error.message,
      hint: error.hint, retrySeconds: error.kind == .locked ? 1 : nil)
    if let excerpt = error.excerpt {
      members = [("excerpt", ["column": JSON(excerpt.column), "line": .string(excerpt.line)])]
    }
  }

  var json: JSON {
    var object: JSONObject = ["kind": .string(kind), "message": .string(message)]
    object["hint"] = hint.map { .string($0) }
    for (key, value) in members { object[key] = value }
    return .object(object)
  }
}

extension CairnError.Kind {
  var status: HTTPResponse.Status {
    switch self {
    case .invalidInput, .usage, .ambiguous, .invalidImage, .unsupported, .invalidDocument,
      .noIdentity, .noRemote:
      .badRequest
    case .notFound, .missingImage, .erased: .notFound
    case .permission, .refused, .untrusted: .forbidden
    case .exists, .unfinished, .notFastForward, .unrelated: .conflict
    case .unconfirmed: .unprocessableContent
    case .locked: .serviceUnavailable
    case .unreachable, .offline, .authentication: .badGateway
    case .notADataset, .newerFormat, .fileSystem, .noSpace, .git, .corrupt, .cancelled,
      .internalError:
      .internalServerError
    }
  }
}
