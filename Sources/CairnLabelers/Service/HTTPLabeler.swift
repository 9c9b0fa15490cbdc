internal import CairnDocument
internal import CairnHTTP
internal import Synchronization

/// A labeler that calls a web service described by a ``ServiceConfig``.
///
/// Retries transient failures, and delays all callers when the service sends `Retry-After`. The
/// image and the secrets are sent only to the configured server.
final class HTTPLabeler: Labeler {
  private let service: LabelerDescription.Service
  private let request: ServiceRequest
  private let model: Annotator?
  private let isNamed: Bool
  private let values: [String: String]
  private let secrets: Secrets
  private let address: Template?
  private let environment: LabelerEnvironment
  private let settings: HTTPSettings
  private let timeoutMilliseconds: Int64
  /// Idle connections.
  private let idle = Mutex<[Connection]>([])
  /// The earliest time of the next request.
  private let notBefore = Mutex<Int64>(0)
  private let interruption = Interruption()

  /// The maximum size of a response: JSON is read up to this size.
  private static let responseLimit = 1 << 20
  private static let redirectLimit = 3

  static let policy: RetryPolicy = {
    var policy = RetryPolicy()
    policy.attempts = 4
    return policy
  }()

  /// A client with the deadline of its current request.
  private final class Connection: @unchecked Sendable {
    // Used by one thread at a time.
    let client: HTTPClient
    let deadline: Deadline

    init(
      _ settings: HTTPSettings, _ environment: LabelerEnvironment, _ interruption: Interruption
    ) {
      let deadline = Deadline()
      var settings = settings
      settings.isCancelled = {
        interruption.isRequested
          || environment.monotonic() > deadline.time.load(ordering: .relaxed)
      }
      (client, self.deadline) = (HTTPClient(settings), deadline)
    }
  }

  private final class Interruption: Sendable {
    private let requested = Atomic(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    func request() { requested.store(true, ordering: .relaxed) }
  }

  private final class Deadline: Sendable {
    let time = Atomic<Int64>(.max)
  }

  init(
    _ service: LabelerDescription.Service, model: Annotator?, timeoutSeconds: Int,
    environment: LabelerEnvironment
  ) throws(LabelerError) {
    guard let request = service.request else { throw .description("it has no request") }
    (self.service, self.request, self.environment) = (service, request, environment)
    let described = try HTTPLabeler.model(service)
    (self.model, isNamed) = (model ?? described, model != nil)
    address = try service.address.map { (text) throws(LabelerError) in
      try Template(text, names: ["id", "extension"])
    }
    let secrets = try HTTPLabeler.secrets(service, environment)
    values = service.values.merging(secrets) { $1 }
    self.secrets = Secrets(secrets.map(\.value) + [request.basicToken(values)].compactMap(\.self))
    timeoutMilliseconds = Int64(timeoutSeconds) * 1000
    var settings = HTTPSettings(environment: environment.variable)
    settings.redirects = .none
    settings.stallTimeoutSeconds = timeoutSeconds
    settings.connectTimeoutMilliseconds = min(30, timeoutSeconds) * 1000
    self.settings = settings
  }

  private static func model(_ service: LabelerDescription.Service) throws(LabelerError)
    -> Annotator?
  {
    guard let template = service.description.model else { return nil }
    let values = service.values
    let text = template.filled { values[$0].flatMap { $0.isEmpty ? nil : $0 } ?? "latest" }
    guard let model = Annotator(model: text) else {
      throw .description("“\(text)” is not a valid NAME@VERSION")
    }
    return model
  }

  private static func secrets(
    _ service: LabelerDescription.Service, _ environment: LabelerEnvironment
  ) throws(LabelerError) -> [String: String] {
    var secrets: [String: String] = [:]
    for (name, standard) in service.description.secrets {
      let variable = service.secrets[name] ?? standard
      guard let value = environment.variable(variable), !value.isEmpty else {
        throw LabelerError(
          "the environment variable \(variable) (the \(name) of the service) is not set",
          scope: .labeler)
      }
      secrets[name] = value
    }
    return secrets
  }

  func identity() throws(LabelerError) -> LabelerIdentity {
    guard let model else {
      throw LabelerError(
        "its model has no name: set it with --model NAME@VERSION", scope: .labeler)
    }
    return LabelerIdentity(
      model: model, isProvisional: !isNamed && service.description.mapping.version != nil)
  }

  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let request = try request.filled(values, image, address: imageAddress(image))
    var failures = 0
    while true {
      waitForTurn()
      if interruption.isRequested { throw LabelerError("it was stopped", scope: .labeler) }
      switch attempt(request, image) {
      case .success(let prediction): return prediction
      case .failure(let failure):
        failures += 1
        let delay = failure.cause.flatMap {
          HTTPLabeler.policy.delayMilliseconds(
            after: $0, failures: failures, random: environment.random())
        }
        guard let delay else { throw failure.error }
        if failure.cause?.retryAfterMilliseconds != nil {
          notBefore.withLock { $0 = max($0, environment.monotonic() + delay) }
        } else {
          pause(delay)
        }
      }
    }
  }

  func interrupt() { interruption.request() }

  func close() { idle.withLock { $0.removeAll() } }

  private func imageAddress(_ image: LabelerImage) throws(LabelerError) -> String? {
    guard service.sendsAddress else { return nil }
    if let address {
      return address.filled { $0 == "id" ? image.name : image.format.fileExtension }
    }
    guard let address = image.address else {
      throw LabelerError("the photo has no URL, and the service accepts nothing else")
    }
    return address
  }

  private func waitForTurn() {
    while true {
      let wait = notBefore.withLock { $0 } - environment.monotonic()
      if wait <= 0 || interruption.isRequested { return }
      pause(wait)
    }
  }

  /// Waits for a number of milliseconds, or until the labeler is interrupted.
  private func pause(_ milliseconds: Int64) {
    var rest = milliseconds
    while rest > 0, !interruption.isRequested {
      environment.pause(min(rest, 100))
      rest -= 100
    }
  }

  // MARK: One attempt

  private struct Failure: Error {
    let error: LabelerError
    /// The HTTP error, which determines whether to retry.
    var cause: HTTPError?
  }

  private func attempt(
    _ request: HTTPRequest, _ image: LabelerImage
  ) -> Result<Prediction, Failure> {
    let connection =
      idle.withLock { $0.popLast() } ?? Connection(settings, environment, interruption)
    defer { idle.withLock { $0.append(connection) } }
    connection.deadline.time.store(
      environment.monotonic() + timeoutMilliseconds, ordering: .relaxed)
    do {
      let response = try send(request, over: connection.client)
      guard response.isSuccess else { return .failure(refusal(response)) }
      // A service may echo what it received.
      let json = secrets.removed(from: try ResponseMapping.json(response.body))
      return .success(
        try service.description.mapping.prediction(json, names: service.names, of: image))
    } catch let error as HTTPError {
      return .failure(failure(error))
    } catch let error as LabelerError {
      let message = secrets.removed(from: "\(HTTPError.host(of: request.url)): \(error.message)")
      return .failure(Failure(error: LabelerError(message, scope: error.scope)))
    } catch {
      return .failure(Failure(error: LabelerError("the image could not be sent: \(error)")))
    }
  }

  /// Sends a request, and follows redirects only within the same origin: since the request contains
  /// the image and the key, a redirect to another host, port or scheme is rejected.
  private func send(_ request: HTTPRequest, over client: HTTPClient) throws -> HTTPResponse {
    var request = request
    for _ in 0...HTTPLabeler.redirectLimit {
      let response = try client.send(request, limit: HTTPLabeler.responseLimit)
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      request.url = try target(of: response, from: request.url)
      if response.status == 303 { (request.method, request.body) = (.get, nil) }
    }
    throw HTTPError(.tooManyRedirects, host: HTTPError.host(of: request.url))
  }

  private func target(of response: HTTPResponse, from url: String) throws(LabelerError) -> String {
    let location = response.headers["Location"] ?? ""
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      return "\(url.prefix { $0 != ":" })://\(HTTPError.host(of: url))\(location)"
    }
    guard ["http://", "https://"].contains(where: location.lowercased().hasPrefix) else {
      throw LabelerError("it redirects to a URL that is not http or https", scope: .labeler)
    }
    let (origin, target) = (WebOrigin(url), WebOrigin(location))
    guard origin != nil, target == origin else {
      let isSameHost = target?.host == origin?.host && target?.scheme != origin?.scheme
      let other = (isSameHost ? "\(target?.scheme ?? "")://" : "") + HTTPError.host(of: location)
      throw LabelerError(
        "it redirects to another server (\(DisplaySanitizer.short(other))), which is sent neither "
          + "photos nor keys", scope: .labeler)
    }
    return location
  }

  // MARK: Failures

  private func failure(_ error: HTTPError) -> Failure {
    // A connection is canceled when its deadline has passed.
    let cause = error.kind == .cancelled ? HTTPError(.timedOut, host: error.host) : error
    let isGeneral =
      switch cause.kind {
      case .invalidAddress, .unresolved, .refused, .untrusted, .proxy, .proxyRefusal, .noLibrary:
        true
      default: false
      }
    return Failure(
      error: LabelerError(
        cause.description, scope: isGeneral ? .labeler : .doubtful,
        isTransient: cause.isTransient),
      cause: cause)
  }

  private func refusal(_ response: HTTPResponse) -> Failure {
    let cause = response.failure(now: environment.now())
    var message = cause.description
    if let json = try? JSON(bytes: response.body),
      let error = service.description.mapping.errorMessage(in: secrets.removed(from: json))
    {
      message += " (“\(error)”)"
    }
    let scope: LabelerError.Scope =
      switch response.status {
      case 401, 402, 403, 404, 405, 410, 429: .labeler
      // The cause may be this image, or the description, which applies to every image.
      default: .doubtful
      }
    return Failure(
      error: LabelerError(message, scope: scope, isTransient: cause.isTransient), cause: cause)
  }
}
