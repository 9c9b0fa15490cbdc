internal import CairnProcess
internal import CairnTransport

/// A session with an sftp server over an OpenSSH child process, which handles `~/.ssh/config`,
/// agents and host keys. Use it from one thread at a time.
///
/// It throws a ``TransferError``; after that it accepts no more requests.
final class SFTPSession: @unchecked Sendable {
  /// Maximum number of outstanding requests.
  static let window = 64
  /// Size of a read or write that every server supports, in bytes.
  ///
  /// Source: draft-ietf-secsh-filexfer-02, section 3.
  static let blockSize = 32 << 10

  private let address: String
  private let child: ChildProcess
  private let timeout: TransportTimeouts
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var decoder = SFTPDecoder()
  private var extensions: [String: String] = [:]
  private var lastRequest: UInt32 = 0
  private var outstanding: Set<UInt32> = []
  private var hasResponded = false
  /// Whether the session can no longer be used.
  private(set) var isBroken = false

  /// - Parameter mayPrompt: Whether ssh may ask for a password.
  init(_ address: SSHAddress, _ context: TransportContext, mayPrompt: Bool) throws {
    (self.address, timeout) = (address.text, context.timeout)
    child = try context.startSession(with: address) { (ssh) throws(TransportError) in
      try ssh.call(address, subsystem: "sftp", mayPrompt: mayPrompt)
    }
    try handshake()
  }

  deinit {
    buffer.deallocate()
    // Without outstanding requests, it ends by itself.
    if !isBroken, outstanding.isEmpty { child.end(timeout: 2000) }
  }

  private func handshake() throws {
    try write(SFTPRequest.initialize.packet(0))
    outstanding = [0]
    guard case (_, .version(let version, let extensions)) = try receive() else {
      throw broken("its first response is not that of an sftp server")
    }
    guard version >= SFTPRequest.version else {
      throw broken("it only supports version \(version) of sftp")
    }
    self.extensions = extensions
  }

  func supports(_ name: SFTPExtension) -> Bool { extensions[name.rawValue] != nil }

  // MARK: Requests

  /// Whether the maximum number of requests is outstanding.
  var isFull: Bool { outstanding.count >= SFTPSession.window }

  /// The number of the next request.
  var nextRequest: UInt32 { lastRequest &+ 1 }

  /// Sends a request without waiting for the response.
  @discardableResult
  func send(_ request: SFTPRequest) throws -> UInt32 {
    lastRequest = nextRequest
    outstanding.insert(lastRequest)
    try write(request.packet(lastRequest))
    return lastRequest
  }

  /// Waits for the next response, to any request.
  func receive() throws -> (request: UInt32, response: SFTPResponse) {
    do {
      while true {
        if let packet = try decoder.next() {
          hasResponded = true
          let (request, response) = try SFTPResponse.read(packet)
          guard outstanding.remove(request) != nil else {
            throw SFTPResponse.Malformed(reason: "unexpected response")
          }
          return (request, response)
        }
        let count = try child.read(
          into: buffer, timeout: hasResponded ? timeout.between : timeout.first)
        if count == 0 { throw ended() }
        decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch ChildProcess.Failure.silent(let seconds) where !hasResponded {
      isBroken = true
      // It had the time in which a person answers a prompt, so retry it only as often as a host that
      // cannot be reached.
      throw TransferError(
        TransportError(.silent(seconds: seconds), address), isTransient: true,
        isBeforeConnection: true)
    } catch let failure as ChildProcess.Failure {
      isBroken = true
      throw TransferError(failure, address)
    } catch let error as SFTPResponse.Malformed {
      throw broken(
        hasResponded
          ? "it violates the sftp protocol: \(error.reason)"
          : "something there prints text before the sftp protocol, perhaps a shell startup file")
    }
  }

  /// Sends all requests at once and waits for all responses.
  ///
  /// - Returns: A response for each, in their order; other responses received meanwhile are
  ///   dropped.
  func exchange(_ requests: [SFTPRequest]) throws -> [SFTPResponse] {
    let first = nextRequest
    var packets: [UInt8] = []
    for request in requests {
      lastRequest = nextRequest
      outstanding.insert(lastRequest)
      packets += request.packet(lastRequest)
    }
    try write(packets)
    var responses = [SFTPResponse?](repeating: nil, count: requests.count)
    var missing = requests.count
    while missing > 0 {
      let (request, response) = try receive()
      let index = Int(request &- first)
      if responses.indices.contains(index) {
        responses[index] = response.copied
        missing -= 1
      }
    }
    return responses.map { $0! }
  }

  func exchange(_ request: SFTPRequest) throws -> SFTPResponse { try exchange([request])[0] }

  /// Sends requests whose responses are only statuses.
  func statuses(_ requests: [SFTPRequest]) throws -> [SFTPStatus] {
    try exchange(requests).map { response in
      guard case .status(let status) = response else { throw unexpected() }
      return status
    }
  }

  func status(_ request: SFTPRequest) throws -> SFTPStatus { try statuses([request])[0] }

  /// Returns the error for a response that does not match the request.
  func unexpected() -> TransferError { broken("its response does not match the request") }

  func broken(_ reason: String) -> TransferError {
    isBroken = true
    return TransferError(TransportError(.protocolViolation, address, reason), scope: .remote)
  }

  // MARK: The program

  private func write(_ packets: [UInt8]) throws {
    do {
      try packets.withUnsafeBytes { try child.write($0, timeout: timeout.between) }
    } catch ChildProcess.Failure.closed {
      throw ended()
    } catch let failure as ChildProcess.Failure {
      isBroken = true
      throw TransferError(failure, address)
    }
  }

  /// Returns the error for a server that ended before it responded.
  private func ended() -> TransferError {
    isBroken = true
    let status = child.end()
    return TransferError(
      ssh: SSHFailure.error(address, status: status, child.stderrText, hasResponded: hasResponded))
  }
}
