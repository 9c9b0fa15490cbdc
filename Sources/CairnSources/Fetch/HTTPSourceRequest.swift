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
  private static let busyPauseMilliseconds: Int64 = 5000

  /// Sends the request and returns the response's JSON.
  ///
  /// - Parameter now: Milliseconds since 1970, for a `Retry-After` that is a date.
  func send(_ client: HTTPClient, now: Int64) throws(SourceError) -> JSON {
    guard WebLocation(url) != nil else {
      throw SourceError(.unsupportedQuery, title, "has a URL that is not http or https")
    }
    var request = HTTPRequest(.get, url)
    request.headers["Accept"] = "application/json"
    for (name, value) in headers { request.headers[name] = value }
    request.acceptsCompression = true
    request.timeout = timeout
    let response: HTTPResponse
    do {
      response = try client.send(request, limit: JSON.responseLimit)
    } catch let error as HTTPError {
      throw SourceError(error, title)
    } catch {
      throw SourceError(.unreachable, title, "is not available")
    }
    return try value(of: response, now: now)
  }

  private func value(of response: HTTPResponse, now: Int64) throws(SourceError) -> JSON {
    let json = JSON(response: response.body)
    let failure = response.failure(now: now)
    if let json, let rejection = source.rejection(json) {
      // The status may be more specific than the body.
      let byStatus = response.isSuccess ? nil : SourceError(failure, title)
      let isBusy = rejection.kind == .busy || byStatus?.kind == .busy && rejection.kind == .refused
      throw SourceError(
        isBusy ? .busy : rejection.kind, title, rejection.message,
        isTransient: rejection.isTransient || byStatus?.isTransient == true,
        retryAfterMilliseconds: failure.retryAfterMilliseconds
          ?? (isBusy ? HTTPSourceRequest.busyPauseMilliseconds : nil))
    }
    guard response.isSuccess else {
      // An optional key is sent in a header.
      let hasKey = source.name.keyUse == .required || headers["Authorization"] != nil
      if hasKey, [401, 403].contains(response.status) {
        throw SourceError(.wrongKey, title, "rejected the key")
      }
      throw SourceError(failure, title)
    }
    guard let json else {
      let type = response.headers["Content-Type"].flatMap {
        SourceText.line(String($0.prefix { $0 != ";" }))
      }
      let isJSON = type?.contains("json") ?? true
      throw SourceError(
        .invalidResponse, title,
        isJSON
          ? "sent a truncated or damaged response"
          : "sent \(type ?? "something") instead of JSON", isTransient: true)
    }
    return json
  }
}

extension PhotoFetch {
  /// Requests the first page of a source and fetches no images.
  ///
  /// - Returns: The number of photos on that page.
  package static func test(
    _ source: any PhotoSource, _ query: SourceQuery, options: Options
  ) throws(SourceError) -> Int {
    let client = HTTPClient(options.http)
    var cursor: String?
    for _ in 0..<3 {
      switch try source.step(query, after: cursor) {
      case .page(let page): return page.photos.count
      case .request(let url, let headers):
        let response = try HTTPSourceRequest(source, url, headers, options.requestTimeout)
          .send(client, now: options.clock.now())
        let page = try source.page(response, query, after: cursor)
        guard page.photos.isEmpty, page.next != nil else { return page.photos.count }
        cursor = page.next
      }
    }
    return 0
  }
}
