internal import LibC

/// A terminal in raw mode, which reports each key at once and does not echo it. Its settings are
/// restored at the end of the process, for any reason except SIGKILL.
package final class RawTerminal {
  private let input: CInt
  private let original: termios
  private var wake: (out: CInt, into: CInt) = (-1, -1)
  private var decoder = KeyDecoder()
  private var keys: [Key] = []
  private var isRaw = false
  /// The window size at the last draw.
  private var drawnSize = (columns: 0, rows: 0)

  package enum Event: Equatable, Sendable {
    case key(Key)
    /// The window was resized, or the process continues after a stop.
    case redraw
    /// The process must end: by a signal, or because the terminal is gone.
    case end(signal: CInt)
  }

  /// The time to wait for the rest of an escape sequence, in milliseconds. A key sends its sequence
  /// in one piece, and even a satellite connection rarely splits it for longer than this.
  private static let timeout: CInt = 60

  /// - Returns: Nil if `input` is not a terminal.
  package init?(input: CInt = 0) {
    var settings = termios()
    guard tcgetattr(input, &settings) == 0 else { return nil }
    (self.input, original) = (input, settings)
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    wake = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    SignalPipe.open(entry: wake.into, terminal: input, original: original)
    enter()
    drawnSize = size
  }

  deinit {
    restore()
    close(wake.out)
    close(wake.into)
  }

  /// Restores the terminal's settings; nothing more can be read.
  package func restore() {
    guard isRaw else { return }
    leave()
    SignalPipe.close()
  }

  private func enter() {
    var settings = original
    // Unbuffered and without echo; interrupts stay signals, and output processing is unchanged.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &settings.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    isRaw = tcsetattr(input, TCSADRAIN, &settings) == 0
  }

  private func leave() {
    var settings = original
    tcsetattr(input, TCSADRAIN, &settings)
    isRaw = false
  }

  /// The size of the window; 80 by 24 if unknown.
  package var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(input, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Waits for the next event.
  package func next() -> Event {
    while true {
      if !keys.isEmpty { return .key(keys.removeFirst()) }
      var polls = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.out, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&polls, 2, decoder.isPending ? RawTerminal.timeout : -1)
      if ready < 0 {
        if errno == EINTR { continue }
        return .end(signal: SIGHUP)
      }
      if polls[1].revents != 0, let event = signalled() { return event }
      if ready == 0 { keys += decoder.flush() }
      if polls[0].revents != 0, !read() { return .end(signal: SIGHUP) }
    }
  }

  /// Reads keys; returns false if the terminal is gone.
  private func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = LibC.read(input, &buffer, buffer.count)
    if count > 0 { keys += decoder.feed(buffer[..<count]) }
    return count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN)
  }

  private func signalled() -> Event? {
    var number: UInt8 = 0
    guard LibC.read(wake.out, &number, 1) == 1 else { return nil }
    let signal = CInt(number)
    if SignalPipe.ending.contains(signal) { return .end(signal: signal) }
    if signal == SIGTSTP {
      leave()
      SignalPipe.stop()
      enter()
    } else if signal == SIGCONT {
      enter()
    } else if size == drawnSize {
      // It may have been sent before this process started.
      return nil
    }
    drawnSize = size
    return .redraw
  }
}
