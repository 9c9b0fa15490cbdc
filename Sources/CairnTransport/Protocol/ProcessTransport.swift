internal import CairnBase
internal import CairnGit
internal import CairnProcess

/// A transport over a child process: OpenSSH, which handles `~/.ssh/config`, agents and host keys, or
/// git itself in a directory.
final class ProcessTransport: GitTransport {
  /// The address to show to the user.
  private let address: String
  private let child: ChildProcess
  private let timeout: TransportTimeouts
  private var decoder = PacketDecoder()
  private var hasResponded = false
  private var awaitsRequest = false
  private(set) var hasSentRequest = false

  /// - Parameter program: The program to run there, if it is not named like the service.
  convenience init(
    _ service: GitService, at address: SSHAddress, program: String?, _ context: TransportContext
  ) throws {
    let command = (program ?? service.rawValue) + " " + SSHCommand.quoted(address.path)
    let call = try context.ssh.call(
      address, running: command, mayPrompt: context.mayPrompt)
    try self.init(call.program, call.arguments, at: address.text, context)
  }

  init(
    _ program: String, _ arguments: [String], at address: String, _ context: TransportContext
  ) throws(TransportError) {
    (self.address, timeout) = (address, context.timeout)
    // Variables that point git to a local repository must not do so on the remote.
    do throws(ChildProcess.Failure) {
      child = try ChildProcess(
        program, arguments, environment: GitProgram.environment, isCancelled: context.isCancelled)
    } catch {
      throw TransportError(error, address)
    }
  }

  func exchange(_ request: ServiceRequest?, _ handle: (Packet) throws -> Bool) throws {
    do {
      awaitsRequest = false
      if let request { try send(request) }
      try receive(handle)
      awaitsRequest = request == nil
    } catch let failure as ChildProcess.Failure {
      // ssh ended; its stderr has the reason.
      if failure == .closed { throw ended() }
      throw TransportError(failure, address)
    } catch is PacketDecoder.Malformed {
      throw TransportError(
        .protocolViolation, address,
        hasResponded
          ? "it violates git's protocol"
          : "something there prints text before git's protocol, perhaps a shell startup file")
    }
  }

  private func send(_ request: ServiceRequest) throws {
    let write = { (bytes: UnsafeRawBufferPointer) in
      try self.child.write(bytes, timeout: self.timeout.between)
    }
    do {
      try request.packets.withUnsafeBytes(write)
      try request.pack?(write)
      hasSentRequest = true
    } catch ChildProcess.Failure.closed {
      // The program may have reported a reason before it ended; `receive` reads it.
    }
  }

  private func receive(_ handle: (Packet) throws -> Bool) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let wait = hasResponded ? timeout.between : timeout.first
      let count = try child.read(into: buffer, timeout: wait)
      if count == 0 { throw ended() }
      let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
      let wantsMore = try decoder.feed(piece) { packet in
        hasResponded = true
        return try handle(packet)
      }
      if !wantsMore { return }
    }
  }

  /// Returns the error for a program that ended before it responded.
  private func ended() -> TransportError {
    let status = child.end()
    let error = SSHFailure.error(
      address, status: status, child.stderrText, hasResponded: hasResponded)
    // A program that ended with an error carries nothing out any more.
    if error.kind != .connectionLost { hasSentRequest = false }
    return error
  }

  func close() {
    if awaitsRequest {
      // Without a final flush, the server assumes that the connection was lost.
      try? PacketEncoder.flush.withUnsafeBytes {
        try child.write($0, timeout: timeout.between)
      }
      awaitsRequest = false
    }
    child.end(timeout: 2000)
  }
}
