internal import CairnDocument
internal import CairnHTTP

/// A request to a service, with the interpretation of its response.
struct HTTPSourceRequest {
  private let source: any PhotoSource
  private let url: String
  private let headers: [String: String]
  private let timeout: HTTPDeadline

  init(
    _ source: any PhotoSource, _ url: String, _ headers: [String: String], _ timeout: HTTPDeadline
  ) {
    (self.source, self.url, self.headers, self.timeout) = (source, url, headers, timeout)
  }

  private var title: String { source.name.title }

  /// The pause after a busy response without `Retry-After`.
  ///
  /// Source: mediawiki.org, “Manual:Maxlag parameter”.
  private static let restMilliseconds: Int64 = 5000

  /// Sends the request and returns the response's JSON.
  ///
  /// - Parameter now: Milliseconds since 1970, for a `Retry-After` that is a date.
  func ask(_ client: HTTPClient, now: Int64) throws(SourceError) -> JSON {
    guard WebLocation(url) != nil else {
      throw SourceError(.badQuery, title, "has an address that is none of the web (http, https)")
    }
    var request = HTTPRequest(.get, url)
    request.headers["Accept"] = "application/json"
    for (name, value) in headers { request.headers[name] = value }
    request.acceptsCompression = true
    request.timeout = timeout
    let response: HTTPResponse
    do {
      response = try client.send(request, limit: JSON.answerLimit)
    } catch let error as HTTPError {
      throw SourceError(error, title)
    } catch {
      throw SourceError(.unreachable, title, "cannot be asked")
    }
    return try value(of: response, now: now)
  }

  private func value(of response: HTTPResponse, now: Int64) throws(SourceError) -> JSON {
    let json = JSON(answer: response.body)
    let failure = response.failure(now: now)
    if let json, let refusal = source.refusal(json) {
      // The status may be more specific than the body.
      let byStatus = response.isSuccess ? nil : SourceError(failure, title)
      let isBusy = refusal.kind == .busy || byStatus?.kind == .busy && refusal.kind == .refused
      throw SourceError(
        isBusy ? .busy : refusal.kind, title, refusal.words,
        isTransient: refusal.isTransient || byStatus?.isTransient == true,
        retryAfterMilliseconds: failure.retryAfterMilliseconds
          ?? (isBusy ? HTTPSourceRequest.restMilliseconds : nil))
    }
    guard response.isSuccess else {
      let isLocked = [401, 403].contains(response.status) && source.name.keyUse != .none
      if isLocked { throw SourceError(.wrongKey, title, "does not accept the key") }
      throw SourceError(failure, title)
    }
    guard let json else {
      let type = response.headers["Content-Type"].flatMap {
        SourceText.line(String($0.prefix { $0 != ";" }))
      }
      let isJSON = type?.contains("json") ?? true
      throw SourceError(
        .garbled, title,
        isJSON
          ? "sent an answer that is cut off or damaged"
          : "sent \(type ?? "something") where an answer was to be", isTransient: true)
    }
    return json
  }
}

extension PhotoFetch {
  /// Requests the first page of a source and fetches no images.
  ///
  /// - Returns: The number of photos on that page.
  public static func test(
    _ source: any PhotoSource, _ query: SourceQuery, options: Options
  ) throws(SourceError) -> Int {
    let client = HTTPClient(options.http)
    var cursor: String?
    for _ in 0..<3 {
      switch try source.step(query, after: cursor) {
      case .page(let page): return page.photos.count
      case .ask(let url, let headers):
        let answer = try HTTPSourceRequest(source, url, headers, options.questionPatience)
          .ask(client, now: options.clock.now())
        let page = try source.page(answer, query, after: cursor)
        guard page.photos.isEmpty, page.next != nil else { return page.photos.count }
        cursor = page.next
      }
    }
    return 0
  }
}
