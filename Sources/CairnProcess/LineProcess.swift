internal import Dispatch
internal import LibC
internal import Synchronization
package import SystemPackage

/// A child process that communicates in lines, for use by several threads at once.
///
/// Its own threads read its output and write its input, and end with it.
package final class LineProcess: @unchecked Sendable {
  /// Receives a line of its output; nil at the end.
  package typealias Listener = @Sendable ([UInt8]?) -> Void

  // Mutable state is behind locks.
  private let process: pid_t
  private let input: Mutex<CInt>
  private let lastErrorLine = Mutex<[UInt8]>([])
  private let isEnding = Atomic(false)
  private let ended = Mutex<CInt?>(nil)
  /// The groups of the threads that read its output and its errors.
  private let (outputGroup, errorGroup) = (DispatchGroup(), DispatchGroup())
  private let writeQueue = DispatchQueue(label: "line-process-input")

  /// Maximum length of a line, in bytes; longer lines are truncated.
  private static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - command: The program, by path or name, and its arguments.
  ///   - changes: Environment variables that differ from ours; nil removes a variable.
  package init(
    _ command: [String], environment changes: [String: String?] = [:],
    listener: @escaping Listener
  ) throws(Errno) {
    let started = try startProcess(
      command[0], Array(command.dropFirst()), environment: changes,
      streams: [.input, .output, .output])
    process = started.process
    input = Mutex(started.ends[0].rawValue)
    _ = fcntl(started.ends[0].rawValue, F_SETFL, O_NONBLOCK)
    let (output, errors) = (started.ends[1], started.ends[2])
    // Each queue has a thread of its own.
    DispatchQueue(label: "line-process-output").async(group: outputGroup) {
      LineProcess.readLines(of: output, listener)
      listener(nil)
    }
    DispatchQueue(label: "line-process-stderr").async(group: errorGroup) { [self] in
      LineProcess.readLines(of: errors) { [self] line in
        guard let line, line.contains(where: { $0 > 0x20 }) else { return }
        lastErrorLine.withLock { $0 = line }
      }
    }
  }

  /// Reads until the end, and closes the pipe.
  private static func readLines(of pipe: FileDescriptor, _ listener: Listener) {
    defer { try? pipe.close() }
    var line: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = (try? piece.withUnsafeMutableBytes { try pipe.read(into: $0) }) ?? 0
      if count == 0 { break }
      for byte in piece[..<count] {
        if byte == 0x0A {
          listener(line)
          line.removeAll(keepingCapacity: true)
        } else if line.count < lineLimit {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { listener(line) }
  }

  /// Appends a line to the queue of lines to write, and returns immediately.
  ///
  /// - Parameter onFailure: Called when the program no longer reads, or was ended.
  package func send(_ line: String, onFailure: @escaping @Sendable () -> Void) {
    writeQueue.async { [self] in if !write(line) { onFailure() } }
  }

  /// Writes a whole line, blocking as long as needed; returns false if the program no longer reads
  /// or was ended.
  private func write(_ line: String) -> Bool {
    input.withLock { input in
      guard input >= 0 else { return false }
      var text = line
      return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
          if isEnding.load(ordering: .relaxed) { return false }
          let count = writeWithoutSignal(input, rest)
          if count > 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
          } else if errno == EAGAIN {
            var full = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
            _ = poll(&full, 1, 50)
          } else if errno != EINTR {
            return false
          }
        }
        return true
      }
    }
  }

  /// Ends the process by closing its input, and by force if it does not exit. Returns once the
  /// listener has received all of its output.
  ///
  /// - Parameter timeout: In milliseconds.
  package func end(timeout: Int) {
    isEnding.store(true, ordering: .relaxed)
    input.withLock { input in
      if input >= 0 { LibC.close(input) }
      input = -1
    }
    ended.withLock { ended in
      guard ended == nil else { return }
      var (status, waited): (CInt, Int) = (0, 0)
      while true {
        let result = waitpid(process, &status, WNOHANG)
        if result == process || result == -1 && errno != EINTR { break }
        if waited == timeout { kill(process, SIGTERM) }
        if waited >= timeout + 500 { kill(process, SIGKILL) }
        usleep(5000)
        waited += 5
      }
      ended = status
    }
    // A child of the process may keep the pipe open.
    _ = outputGroup.wait(timeout: .now() + .seconds(2))
  }

  /// Returns how the process ended, and the last line of its stderr that is not blank; call it
  /// after ``end(timeout:)``.
  ///
  /// - Returns: The exit code, or the negated number of the signal that ended it, and the line
  ///   without its line feed.
  package func exit() -> (code: Int, lastErrorLine: [UInt8]) {
    // The last lines may still be in the pipe; a child of the process may keep it open.
    _ = errorGroup.wait(timeout: .now() + .milliseconds(500))
    let status = ended.withLock { $0 } ?? 0
    return (exitCode(waitStatus: status), lastErrorLine.withLock { $0 })
  }
}
