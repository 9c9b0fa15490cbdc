internal import CCurl
internal import LibC
internal import SystemPackage

/// A running request, which owns a curl handle and everything the handle points to.
final class HTTPTransfer {
  enum State { case new, running, ended }

  let handle: UnsafeMutableRawPointer
  let host: String
  var state = State.new
  var result = CURLE_OK
  /// Whether a stream reads ``received``, which then must stay bounded.
  var isPulled = false
  /// The part of the body not yet read.
  var received: [UInt8] = []

  private let request: HTTPRequest
  private let limit: Int
  private let sink: HTTPClient.Sink?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// curl's error message, a C string.
  private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(
    capacity: Int(CURL_ERROR_SIZE))
  private var status = 0
  private var headers: HTTPHeaders = [:]
  private(set) var hasBody = false
  private var isPaused = false
  private var isTooLarge = false
  /// Whether the rest of an error response was left unread.
  private var isCut = false
  /// Number of body bytes accepted. Bytes of an error response do not extend the deadline.
  private var accepted = 0
  private let started = ContinuousClock.now
  private var source: HTTPBodySource?
  /// The error a callback threw, which ends the transfer.
  private var thrown: (any Error)?

  /// The proxy that the settings or the environment name, whatever curl uses.
  private var configuredProxy: String?

  /// Number of buffered bytes at which an unread stream pauses the server.
  private static let pullLimit = 1 << 20

  init(
    _ request: HTTPRequest, settings: HTTPSettings, limit: Int, sink: HTTPClient.Sink?
  ) throws {
    host = HTTPError.host(of: request.url)
    (self.request, self.limit, self.sink) = (request, limit, sink)
    guard request.headers.isSafe, request.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw HTTPError(.invalidAddress, host: host)
    }
    guard let handle = curl_easy_init() else {
      throw HTTPError(.noLibrary, host: host)
    }
    self.handle = handle
    try setUp(settings)
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  // MARK: Options

  private func setUp(_ settings: HTTPSettings) throws {
    set(CURLOPT_URL, request.url)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_USERAGENT, settings.userAgent)
    // Large buffers mean fewer system calls; curl accepts at most this size or little more.
    set(CURLOPT_BUFFERSIZE, 512 << 10)
    // A piece of a body, which is hashed between two copies, fits in the CPU cache.
    set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeoutMilliseconds)
    let stallTimeout = request.stallTimeoutSeconds ?? settings.stallTimeoutSeconds
    if stallTimeout > 0 {
      set(CURLOPT_LOW_SPEED_LIMIT, settings.stallBytesPerSecond)
      set(CURLOPT_LOW_SPEED_TIME, stallTimeout)
    }
    // Without it, a host that is gone would never be noticed while nothing is sent.
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, 60)
    set(CURLOPT_TCP_KEEPINTVL, 30)
    // A curl built without HTTP/2 rejects this option, which is ignored, and uses HTTP/1.1.
    cairn_curl_set_long(
      handle, CURLOPT_HTTP_VERSION,
      Int(settings.allowsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    if let proxy = settings.proxy { set(CURLOPT_PROXY, proxy) }
    let proxy = settings.proxy ?? settings.environmentProxy(for: request.url)
    configuredProxy = proxy.flatMap { $0.isEmpty ? nil : $0 }
    if request.acceptsCompression { set(CURLOPT_ACCEPT_ENCODING, "") }
    setRedirects(settings.redirects)
    setTrust(settings)
    if settings.usesNetrc { set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)) }
    if let credentials = request.credentials {
      set(CURLOPT_HTTPAUTH, cairn_curl_auth_basic)
      set(CURLOPT_USERNAME, credentials.user)
      set(CURLOPT_PASSWORD, credentials.password)
    }
    try setBody()
    setHeaders()
    setCallbacks()
    // Send the request only if curl accepted every option.
    if result != CURLE_OK { throw failure() }
  }

  private func setRedirects(_ redirects: HTTPSettings.Redirects) {
    guard case .follow(let count) = redirects else { return }
    set(CURLOPT_FOLLOWLOCATION, 1)
    set(CURLOPT_MAXREDIRS, count)
    let isSecure = request.url.lowercased().hasPrefix("https:")
    set(CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https")
  }

  private func setTrust(_ settings: HTTPSettings) {
    set(
      CURLOPT_SSLVERSION,
      Int(settings.allowsTLS12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3))
    if let keys = settings.pinnedKeys { set(CURLOPT_PINNEDPUBLICKEY, keys) }
    switch settings.trust {
    case .system: break
    case .file(let path):
      set(CURLOPT_CAINFO, path.string)
      set(CURLOPT_CAPATH, nil)
    case .directory(let path):
      set(CURLOPT_CAPATH, path.string)
      set(CURLOPT_CAINFO, nil)
    case .anything:
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let own = settings.certificate {
      set(CURLOPT_SSLCERT, own.certificate.string)
      set(CURLOPT_SSLKEY, own.key?.string ?? own.certificate.string)
    }
  }

  private func setBody() throws {
    switch request.body {
    case nil: break
    case .bytes(let bytes): source = HTTPBodySource(bytes: bytes)
    case .file(let path, let offset, let length):
      source = try HTTPBodySource(file: path, offset: offset, length: length)
    case .pieces(let length, let read): source = HTTPBodySource(length: length, read: read)
    }
    switch request.method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .post:
      set(CURLOPT_POST, 1)
      setSize(CURLOPT_POSTFIELDSIZE_LARGE, source == nil ? 0 : source?.length ?? -1)
    case .put:
      set(CURLOPT_UPLOAD, 1)
      setSize(CURLOPT_INFILESIZE_LARGE, source == nil ? 0 : source?.length ?? -1)
    case .patch, .delete, .mkcol, .move, .propfind:
      if let source {
        set(CURLOPT_UPLOAD, 1)
        setSize(CURLOPT_INFILESIZE_LARGE, source.length ?? -1)
      }
      set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }

  private func setHeaders() {
    for (name, value) in request.headers.fields {
      // curl removes a field with an empty value unless it is written with a semicolon.
      headerList = curl_slist_append(headerList, value.isEmpty ? name + ";" : "\(name): \(value)")
    }
    // Many servers send “100 Continue” late or never.
    headerList = curl_slist_append(headerList, "Expect:")
    if request.method == .post, request.headers["Content-Type"] == nil {
      headerList = curl_slist_append(headerList, "Content-Type:")
    }
    if source != nil, source?.length == nil {
      headerList = curl_slist_append(headerList, "Transfer-Encoding: chunked")
    }
    check(cairn_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList))
  }

  private func setCallbacks() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    cairn_curl_set_data(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      HTTPTransfer.withTransfer(context) {
        $0.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }
    }
    cairn_curl_set_pointer(handle, CURLOPT_HEADERDATA, this)
    cairn_curl_set_data(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      HTTPTransfer.withTransfer(context) {
        $0.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }
    }
    cairn_curl_set_pointer(handle, CURLOPT_WRITEDATA, this)
    cairn_curl_set_data(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
      HTTPTransfer.withTransfer(context) {
        $0.provideBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      }
    }
    cairn_curl_set_pointer(handle, CURLOPT_READDATA, this)
    cairn_curl_set_seek(handle) { context, offset, origin in
      guard origin == SEEK_SET, let context else { return CURL_SEEKFUNC_FAIL }
      let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
      return transfer.source?.seek(to: Int(offset)) == true ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
    cairn_curl_set_pointer(handle, CURLOPT_SEEKDATA, this)
    errorText.initialize(repeating: 0)
    cairn_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress)
  }

  private static func withTransfer(
    _ context: UnsafeMutableRawPointer?, _ body: (HTTPTransfer) -> Int
  ) -> Int {
    guard let context else { return 0 }
    return body(Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue())
  }

  private func set(_ option: CURLoption, _ value: Int) {
    check(cairn_curl_set_long(handle, option, value))
  }
  private func set(_ option: CURLoption, _ value: String?) {
    check(cairn_curl_set_text(handle, option, value))
  }
  private func setSize(_ option: CURLoption, _ value: Int) {
    check(cairn_curl_set_size(handle, option, curl_off_t(value)))
  }
  private func check(_ status: CURLcode) { if result == CURLE_OK { result = status } }

  // MARK: curl callbacks

  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
    // Bytes, since finding the characters of all headers takes longer than the rest of the request.
    var line = bytes[...]
    while let last = line.last, last == 0x20 || 0x09...0x0D ~= last { line.removeLast() }
    func text(_ part: Slice<UnsafeRawBufferPointer>) -> String {
      String(decoding: part, as: UTF8.self)
    }
    if line.starts(with: "HTTP/".utf8) {
      // With several responses (redirects, “100 Continue”), the last one counts.
      let code = line.split(separator: UInt8(ascii: " ")).dropFirst().first
      status = code.flatMap { Int(text($0)) } ?? 0
      headers = [:]
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), headers.fields.count < 1000 {
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      headers.add(text(line[..<colon]), text(value))
    }
    return bytes.count
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasBody = true
    if isPulled {
      if !received.isEmpty, received.count + bytes.count > HTTPTransfer.pullLimit {
        isPaused = true
        return cairn_curl_write_pause
      }
      received += bytes
      accepted += bytes.count
      return bytes.count
    }
    let response = head
    if let sink, response.isSuccess {
      do {
        try sink(response, bytes)
        accepted += bytes.count
        return bytes.count
      } catch {
        thrown = error
        return 0
      }
    }
    guard received.count + bytes.count <= limit else {
      // The beginning of an error response is enough, and its end may never come.
      isCut = !response.isSuccess
      isTooLarge = !isCut
      return 0
    }
    received += bytes
    if response.isSuccess { accepted += bytes.count }
    return bytes.count
  }

  private func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    do {
      return try source?.read(into: buffer) ?? 0
    } catch {
      thrown = error
      return cairn_curl_read_abort
    }
  }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    curl_easy_pause(handle, CURLPAUSE_CONT)
  }

  /// Whether the response has exceeded its timeout.
  var isOverdue: Bool {
    guard let timeout = request.timeout else { return false }
    let (seconds, attoseconds) = (ContinuousClock.now - started).components
    return timeout.isOver(
      after: seconds * 1000 + attoseconds / 1_000_000_000_000_000, accepted: accepted)
  }

  // MARK: Result

  private var head: HTTPResponse {
    HTTPResponse(
      status: status, headers: headers,
      url: cairn_curl_get_text(handle, CURLINFO_EFFECTIVE_URL).map { String(cString: $0) }
        ?? request.url,
      body: [], secrets: HTTPSecrets(request))
  }

  /// Returns the response.
  ///
  /// - Parameter requiresFullBody: Whether the body must be complete.
  func response(requiresFullBody: Bool = true) throws -> HTTPResponse {
    if let thrown { throw thrown }
    if isTooLarge { throw HTTPError(.tooLarge, host: host) }
    if result != CURLE_OK, !isCut, requiresFullBody || status == 0 { throw failure() }
    var response = head
    if !isPulled { response.body = received }
    return response
  }

  private var hasSentRequest: Bool { cairn_curl_get_long(handle, CURLINFO_REQUEST_SIZE) > 0 }

  /// How much of the request was sent.
  var stage: HTTPError.Stage {
    if !hasSentRequest { return .connecting }
    return source.map(\.isAtEnd) ?? true ? .sent : .sending
  }

  /// Returns the error for curl's result; no other code translates one.
  private func failure() -> HTTPError {
    let message = String(
      decoding: errorText.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The proxy's answer to CONNECT; 0 if there was none.
    let proxyStatus = cairn_curl_get_long(handle, CURLINFO_HTTP_CONNECTCODE)
    let proxy = configuredProxy.map { HTTPError.host(of: $0.contains("://") ? $0 : "http://\($0)") }
    let isOfProxy =
      result == CURLE_COULDNT_CONNECT
      && proxy.map { message.contains($0.replacing(":", with: " port ")) } ?? false
    let kind: HTTPError.Kind =
      switch result {
      case CURLE_RECV_ERROR where 300..<500 ~= proxyStatus: .proxyRefusal
      case CURLE_RECV_ERROR where proxyStatus >= 500: .proxy
      case CURLE_COULDNT_CONNECT where isOfProxy: .proxy
      // curl gives this code to a response without a status line (HTTP/0.9), too.
      case CURLE_UNSUPPORTED_PROTOCOL where status == 0 && hasSentRequest: .invalidResponse
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .invalidResponse
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidAddress
      case CURLE_COULDNT_RESOLVE_HOST: .unresolved
      case CURLE_COULDNT_CONNECT: .refused
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SSL_CONNECT_ERROR where HTTPTransfer.isAboutConnection(message): .cutOff
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .untrusted
      case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
      case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
        CURLE_HTTP2_STREAM, CURLE_UPLOAD_FAILED, CURLE_SEND_FAIL_REWIND:
        .cutOff
      default: .other
      }
    // A TLS message describes the certificate problem; other curl messages may contain a part of
    // the URL.
    let detail: String? =
      switch kind {
      case .untrusted: message.isEmpty ? nil : message
      case .proxy, .proxyRefusal:
        proxy.map { proxyStatus >= 300 ? "\($0) returned \(proxyStatus)" : $0 }
      case .other: String(cString: curl_easy_strerror(result))
      default: nil
      }
    return HTTPError(kind, host: host, detail: detail, stage: stage)
  }

  /// Whether curl's message about a failed TLS handshake reports that the connection ended.
  ///
  /// Source: curl's lib/vtls/openssl.c and gtls.c, lib/cf-socket.c; messages of the TLS libraries.
  private static func isAboutConnection(_ message: String) -> Bool {
    let message = message.lowercased()
    return [
      "ssl_error_syscall", "unexpected eof", "reset by peer", "broken pipe", "recv failure",
      "send failure", "non-properly terminated", "the pull function", "the push function",
      "premature", "closed", "timed out",
    ].contains { message.contains($0) }
  }
}
