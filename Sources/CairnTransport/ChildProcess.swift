internal import CairnGit
internal import LibC
internal import SystemPackage

/// A program that runs beside this one and is talked to through its stdin and stdout. It ends with
/// this one, since its input does then.
///
/// No shell takes part unless it is the program.
public final class ChildProcess {
  /// Why it could not be talked to.
  public enum Failure: Error, Equatable {
    /// It could not be started.
    case notStarted(program: String, reason: String)
    /// It said nothing for so long.
    case silent(seconds: Int)
    /// It does not read any more.
    case closed
    case cancelled
  }

  /// What is kept of what it prints on stderr.
  public private(set) var complaints = ServerWords()

  private let process: pid_t
  private var input: CInt
  private var output: CInt
  private var errors: CInt
  private var status: CInt?
  /// What it said while it was being written to.
  private var heard: [UInt8] = []
  private let isCancelled: () -> Bool

  /// Beyond this, what it says while it is written to is left in the pipe.
  private static let heardLimit = 1 << 20

  /// - Parameters:
  ///   - program: A path, or a name that is looked for as a shell does.
  ///   - changes: Variables of its environment that differ from ours; nil: it has none of that name.
  public init(
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

  // MARK: Talk

  /// Returns the number of bytes read; 0 when it says nothing more.
  ///
  /// - Parameter patience: How long it may say nothing, in seconds; nil: for ever.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, patience: Int?
  ) throws(Failure) -> Int {
    if !heard.isEmpty {
      let count = min(buffer.count, heard.count)
      heard.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[..<count])) }
      heard.removeFirst(count)
      return count
    }
    while true {
      let count = LibC.read(output, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EAGAIN || errno == EINTR else { return 0 }
      try wait(for: output, Int16(POLLIN), patience)
    }
  }

  /// Writes all, and keeps what it says meanwhile.
  ///
  /// - Throws: ``Failure/closed`` when it does not read any more.
  public func write(_ bytes: UnsafeRawBufferPointer, patience: Int?) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = writeWithoutSignal(input, rest)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN || errno == EINTR {
        try wait(for: input, Int16(POLLOUT), patience)
      } else {
        throw .closed
      }
    }
  }

  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits until one stream is ready; reads what it complains of, and what it says while it should
  /// listen, since it may wait for that to be read.
  private func wait(for stream: CInt, _ events: Int16, _ patience: Int?) throws(Failure) {
    var waited = 0
    while true {
      let hears = stream == output || heard.count >= ChildProcess.heardLimit
      var polls = [
        pollfd(fd: stream, events: events, revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        pollfd(fd: hears ? -1 : output, events: Int16(POLLIN), revents: 0),
      ]
      let pause = 250
      let ready = poll(&polls, nfds_t(polls.count), CInt(pause))
      if isCancelled() { throw .cancelled }
      if polls[1].revents != 0 { readComplaints() }
      if polls[2].revents != 0 { hearMore() }
      if polls[0].revents != 0 { return }
      waited = ready == 0 ? waited + pause : 0
      if let patience, waited >= patience * 1000 { throw .silent(seconds: patience) }
    }
  }

  private func readComplaints() {
    guard errors >= 0 else { return }
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LibC.read(errors, &piece, piece.count)
      if count > 0 {
        complaints.append(piece[..<count])
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        close(errors)
        errors = -1
        return
      } else if errno == EAGAIN {
        return
      }
    }
  }

  private func hearMore() {
    var piece = [UInt8](repeating: 0, count: 65536)
    let count = LibC.read(output, &piece, piece.count)
    if count > 0 { heard += piece[..<count] }
    // At its end, polling would report it for ever.
    if count == 0 {
      close(output)
      output = -1
    }
  }

  // MARK: End

  /// Waits for it to end, and ends it when that takes too long.
  ///
  /// - Parameter patience: In milliseconds.
  /// - Returns: Its exit code, or the number of the signal that ended it, less than 0.
  @discardableResult
  public func end(patience: Int = 5000) -> Int {
    closeInput()
    var waited = 0
    while status == nil {
      // It may wait for what it says to be read. A connection that ssh keeps open for others has
      // this pipe, too, so that its end is not waited for.
      readComplaints()
      var ended: CInt = 0
      let result = waitpid(process, &ended, WNOHANG)
      if result == process {
        status = ended
      } else if result == -1, errno != EINTR {
        status = 0
      } else if waited >= patience || isCancelled() {
        endNow()
      } else {
        usleep(5000)
        waited += 5
      }
    }
    readComplaints()
    let status = status!
    return Int(status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F))
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
