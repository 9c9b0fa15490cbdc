internal import CairnGit

/// A conversation over an OpenSSH child process: `~/.ssh/config`, agents and host keys are its.
final class SSHConversation: Conversation {
  private let address: SSHAddress
  private let child: ChildProcess
  private let patience: TransportPatience
  private var decoder = PacketDecoder()
  private var hasSpoken = false
  private var awaitsRequest = false

  /// - Parameter program: What to run there, where it is not the service's name.
  init(
    _ service: GitService, at address: SSHAddress, program: String?, _ context: TransportContext
  ) throws {
    (self.address, patience) = (address, context.patience)
    let words = (program ?? service.rawValue) + " " + SSHCommand.quoted(address.path)
    let call = try context.ssh.call(address, running: words)
    // What leads git to a repository here must not do so there.
    do {
      child = try ChildProcess(
        call.program, call.arguments, environment: GitProgram.environment,
        isCancelled: context.isCancelled)
    } catch {
      throw TransportError(error, address.text)
    }
  }

  func exchange(_ request: ServiceRequest?, _ hear: (Packet) throws -> Bool) throws {
    do {
      awaitsRequest = false
      if let request { try send(request) }
      try listen(hear)
      awaitsRequest = request == nil
    } catch let failure as ChildProcess.Failure {
      // It ended; its own words say why.
      if failure == .closed { throw ended() }
      throw TransportError(failure, address.text)
    } catch is PacketDecoder.Malformed {
      throw TransportError(
        .protocolViolation, address.text,
        hasSpoken
          ? "it does not keep to git's protocol"
          : "something there prints text before git speaks, a shell's start-up file perhaps")
    }
  }

  private func send(_ request: ServiceRequest) throws {
    let write = { (bytes: UnsafeRawBufferPointer) in
      try self.child.write(bytes, patience: self.patience.between)
    }
    do {
      try request.packets.withUnsafeBytes(write)
      try request.pack?(write)
    } catch ChildProcess.Failure.closed {
      // It may have said why before it went; listening finds out.
    }
  }

  private func listen(_ hear: (Packet) throws -> Bool) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let wait = hasSpoken ? patience.between : patience.first
      let count = try child.read(into: buffer, patience: wait)
      if count == 0 { throw ended() }
      let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
      let wantsMore = try decoder.feed(piece) { packet in
        hasSpoken = true
        return try hear(packet)
      }
      if !wantsMore { return }
    }
  }

  /// Returns why it ended before it had answered.
  private func ended() -> TransportError {
    let status = child.end()
    return SSHFailure.error(
      address.text, status: status, child.complaints, hasSpoken: hasSpoken)
  }

  func close() {
    if awaitsRequest {
      // Who leaves without a word is taken for somebody who was cut off.
      try? PacketEncoder.flush.withUnsafeBytes {
        try child.write($0, patience: patience.between)
      }
      awaitsRequest = false
    }
    child.end(patience: 2000)
  }
}
