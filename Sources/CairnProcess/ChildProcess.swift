internal import LibC
internal import SystemPackage

/// A child process that exchanges data through its stdin and stdout. It ends with this process,
/// which closes its input.
///
/// No shell is involved unless it is the program.
package final class ChildProcess {
  /// A failed exchange with the process.
  package enum Failure: Error, Equatable {
    /// The process could not be started.
    case notStarted(program: String, reason: String)
    /// The process produced no output for this many seconds.
    case silent(seconds: Int)
    /// The process no longer reads its input.
    case closed
    case cancelled
  }

  /// The retained part of its stderr.
  package private(set) var stderrText = ServerMessages()

  private let process: pid_t
  private var input: CInt
  private var output: CInt
  private var errors: CInt
  private var status: CInt?
  /// Output that arrived during writes.
  private var bufferedOutput: [UInt8] = []
  private let isCancelled: () -> Bool

  /// Maximum number of bytes to buffer during writes; further output stays in the pipe.
  private static let bufferLimit = 1 << 20

  /// - Parameters:
  ///   - program: A path, or a name looked up as a shell does.
  ///   - changes: Environment variables that differ from ours; nil removes a variable.
  package init(
    _ program: String, _ arguments: [String], environment changes: [String: String?] = [:],
    isCancelled: @escaping () -> Bool = { false }
  ) throws(Failure) {
    self.isCancelled = isCancelled
    do throws(Errno) {
      let started = try startProcess(
        program, arguments, environment: changes, streams: [.input, .output, .output])
      process = started.process
      (input, output, errors) = (
        started.ends[0].rawValue, started.ends[1].rawValue, started.ends[2].rawValue
      )
    } catch {
      throw .notStarted(program: program, reason: "\(error)")
    }
    for descriptor in [input, output, errors] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    closeInput()
    for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
    if status == nil { endNow() }
  }

  // MARK: Input and output

  /// Returns the number of bytes read; 0 at the end of the output.
  ///
  /// - Parameter timeout: Maximum time without output, in seconds; nil for no limit.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, timeout: Int?
  ) throws(Failure) -> Int {
    if !bufferedOutput.isEmpty {
      let count = min(buffer.count, bufferedOutput.count)
      bufferedOutput.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[..<count])) }
      bufferedOutput.removeFirst(count)
      return count
    }
    while true {
      let count = LibC.read(output, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EAGAIN || errno == EINTR else { return 0 }
      try wait(for: output, Int16(POLLIN), timeout)
    }
  }

  /// Reads the output until its end, or until at least `limit` bytes have arrived.
  ///
  /// - Parameter timeout: Maximum time without output, in seconds; nil for no limit.
  package func output(limit: Int, timeout: Int?) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    defer { piece.deallocate() }
    while output.count < limit {
      let count = try read(into: piece, timeout: timeout)
      if count == 0 { break }
      output += piece[..<count]
    }
    return output
  }

  /// Writes all bytes, and buffers output that arrives meanwhile.
  ///
  /// - Throws: ``Failure/closed`` when the process no longer reads its input.
  package func write(_ bytes: UnsafeRawBufferPointer, timeout: Int?) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = writeWithoutSignal(input, rest)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN || errno == EINTR {
        try wait(for: input, Int16(POLLOUT), timeout)
      } else {
        throw .closed
      }
    }
  }

  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits until one stream is ready; meanwhile reads stderr, and output if the process may block
  /// until it is read.
  private func wait(for stream: CInt, _ events: Int16, _ timeout: Int?) throws(Failure) {
    var waited = 0
    while true {
      let skipsOutput = stream == output || bufferedOutput.count >= ChildProcess.bufferLimit
      var polls = [
        pollfd(fd: stream, events: events, revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        pollfd(fd: skipsOutput ? -1 : output, events: Int16(POLLIN), revents: 0),
      ]
      let pause = 250
      let ready = poll(&polls, nfds_t(polls.count), CInt(pause))
      if isCancelled() { throw .cancelled }
      if polls[1].revents != 0 { readStderr() }
      if polls[2].revents != 0 { bufferMoreOutput() }
      if polls[0].revents != 0 { return }
      waited = ready == 0 ? waited + pause : 0
      if let timeout, waited >= timeout * 1000 { throw .silent(seconds: timeout) }
    }
  }

  private func readStderr() {
    guard errors >= 0 else { return }
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LibC.read(errors, &piece, piece.count)
      if count > 0 {
        stderrText.append(piece[..<count])
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        close(errors)
        errors = -1
        return
      } else if errno == EAGAIN {
        return
      }
    }
  }

  private func bufferMoreOutput() {
    var piece = [UInt8](repeating: 0, count: 65536)
    let count = LibC.read(output, &piece, piece.count)
    if count > 0 { bufferedOutput += piece[..<count] }
    // Polling a closed stream would report it forever.
    if count == 0 {
      close(output)
      output = -1
    }
  }

  // MARK: End

  /// Returns whether the process has ended.
  package func hasEnded() -> Bool {
    if status != nil { return true }
    var ended: CInt = 0
    let result = waitpid(process, &ended, WNOHANG)
    if result == process {
      status = ended
    } else if result == -1, errno != EINTR {
      status = 0
    }
    return status != nil
  }

  /// Waits for the process to end, and terminates it after the timeout.
  ///
  /// - Parameter timeout: In milliseconds.
  /// - Returns: Its exit code, or the negated number of the signal that ended it.
  @discardableResult
  package func end(timeout: Int = 5000) -> Int {
    closeInput()
    var waited = 0
    while !hasEnded() {
      // The process may block until its stderr is read. A connection that ssh keeps open for reuse
      // also holds this pipe, so do not wait for the pipe's end.
      readStderr()
      if waited >= timeout || isCancelled() {
        endNow()
      } else {
        usleep(5000)
        waited += 5
      }
    }
    readStderr()
    return exitCode(waitStatus: status!)
  }

  private func endNow() {
    kill(process, SIGTERM)
    var ended: CInt = 0
    for _ in 0..<200 {
      if waitpid(process, &ended, WNOHANG) != 0 {
        status = ended
        return
      }
      usleep(5000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &ended, 0) == -1, errno == EINTR {}
    status = ended
  }
}
