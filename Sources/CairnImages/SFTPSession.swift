internal import CairnGit
internal import CairnTransport

/// A conversation with an sftp server over an OpenSSH child process: `~/.ssh/config`, agents and host
/// keys are its. One thread uses it at a time.
///
/// What it throws is an ``TransferError``; after that nothing more can be asked.
final class SFTPSession: @unchecked Sendable {
  /// How many requests may wait for their answers.
  static let window = 64
  /// What every server reads or writes at once, in bytes.
  ///
  /// Source: draft-ietf-secsh-filexfer-02, section 3.
  static let partSize = 32 << 10

  private let address: String
  private let child: ChildProcess
  private let patience: TransportPatience
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var decoder = SFTPDecoder()
  private var extensions: [String: String] = [:]
  private var lastRequest: UInt32 = 0
  private var waiting: Set<UInt32> = []
  private var hasSpoken = false
  /// Whether nothing more can be said.
  private(set) var isBroken = false

  /// - Parameter asks: Whether ssh may ask for a password.
  init(_ address: SSHAddress, _ context: TransportContext, asks: Bool) throws {
    (self.address, patience) = (address.text, context.patience)
    do {
      let call = try context.ssh.call(address, subsystem: "sftp", asks: asks)
      child = try ChildProcess(
        call.program, call.arguments, environment: GitProgram.environment,
        isCancelled: context.isCancelled)
    } catch let error as TransportError {
      throw TransferError(error, scope: .remote)
    } catch let failure as ChildProcess.Failure {
      throw TransferError(failure, address.text)
    }
    try greet()
  }

  deinit {
    buffer.deallocate()
    // Where all is answered it ends by itself.
    if !isBroken, waiting.isEmpty { child.end(patience: 2000) }
  }

  private func greet() throws {
    try write(SFTPRequest.hello.packet(0))
    waiting = [0]
    guard case (_, .version(let version, let extensions)) = try hear() else {
      throw broken("it does not begin as an sftp server does")
    }
    guard version >= SFTPRequest.version else {
      throw broken("it speaks version \(version) of sftp only")
    }
    self.extensions = extensions
  }

  func offers(_ name: SFTPExtension) -> Bool { extensions[name.rawValue] != nil }

  // MARK: Requests

  /// Whether as many requests wait for answers as may.
  var isFull: Bool { waiting.count >= SFTPSession.window }

  /// The number that the next request has.
  var nextRequest: UInt32 { lastRequest &+ 1 }

  /// Asks, without waiting for the answer.
  @discardableResult
  func ask(_ request: SFTPRequest) throws -> UInt32 {
    lastRequest = nextRequest
    waiting.insert(lastRequest)
    try write(request.packet(lastRequest))
    return lastRequest
  }

  /// Waits for the next answer, whatever it is about.
  func hear() throws -> (request: UInt32, answer: SFTPAnswer) {
    do {
      while true {
        if let packet = try decoder.next() {
          hasSpoken = true
          let (request, answer) = try SFTPAnswer.read(packet)
          guard waiting.remove(request) != nil else {
            throw SFTPAnswer.Malformed(reason: "it answers what nobody asked")
          }
          return (request, answer)
        }
        let count = try child.read(
          into: buffer, patience: hasSpoken ? patience.between : patience.first)
        if count == 0 { throw ended() }
        decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch let failure as ChildProcess.Failure {
      isBroken = true
      throw TransferError(failure, address)
    } catch let error as SFTPAnswer.Malformed {
      throw broken(
        hasSpoken
          ? "it does not keep to the sftp protocol: \(error.reason)"
          : "something there prints text before sftp speaks, a shell's start-up file perhaps")
    }
  }

  /// Asks all at once and waits for all answers.
  ///
  /// - Returns: An answer for each, in their order; what else is answered meanwhile is dropped.
  func exchange(_ requests: [SFTPRequest]) throws -> [SFTPAnswer] {
    let first = nextRequest
    var packets: [UInt8] = []
    for request in requests {
      lastRequest = nextRequest
      waiting.insert(lastRequest)
      packets += request.packet(lastRequest)
    }
    try write(packets)
    var answers = [SFTPAnswer?](repeating: nil, count: requests.count)
    var missing = requests.count
    while missing > 0 {
      let (request, answer) = try hear()
      let index = Int(request &- first)
      if answers.indices.contains(index) {
        answers[index] = answer
        missing -= 1
      }
    }
    return answers.map { $0! }
  }

  func exchange(_ request: SFTPRequest) throws -> SFTPAnswer { try exchange([request])[0] }

  /// Asks what is answered with a status alone.
  func statuses(_ requests: [SFTPRequest]) throws -> [SFTPStatus] {
    try exchange(requests).map { answer in
      guard case .status(let status) = answer else { throw unexpected() }
      return status
    }
  }

  func status(_ request: SFTPRequest) throws -> SFTPStatus { try statuses([request])[0] }

  /// The error for an answer that is none to what was asked.
  func unexpected() -> TransferError { broken("it answers something else than was asked") }

  func broken(_ reason: String) -> TransferError {
    isBroken = true
    return TransferError(TransportError(.protocolViolation, address, reason), scope: .remote)
  }

  // MARK: The program

  private func write(_ packets: [UInt8]) throws {
    do {
      try packets.withUnsafeBytes { try child.write($0, patience: patience.between) }
    } catch ChildProcess.Failure.closed {
      throw ended()
    } catch let failure as ChildProcess.Failure {
      isBroken = true
      throw TransferError(failure, address)
    }
  }

  /// Returns why it ended before it had answered.
  private func ended() -> TransferError {
    isBroken = true
    let status = child.end()
    return TransferError(
      ssh: SSHFailure.error(address, status: status, child.complaints, hasSpoken: hasSpoken))
  }
}
