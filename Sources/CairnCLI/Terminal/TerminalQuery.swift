import LibC

/// Queries a terminal for its properties.
enum TerminalQuery {
  /// The timeout: enough for a response over a slow network connection.
  private static let limitMilliseconds: Int64 = 300
  private static let lengthLimit = 4096

  /// Writes `query` to the controlling terminal, and returns its response as soon as `isComplete`
  /// accepts it. After the timeout, returns what was received so far; empty if there is no
  /// terminal.
  ///
  /// The response is not shown. Input that is typed meanwhile is lost.
  static func send(_ query: String, until isComplete: (String) -> Bool) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return "" }
    defer { close(terminal) }
    // A background process would be stopped by SIGTTOU.
    guard tcgetpgrp(terminal) == getpgrp() else { return "" }
    var saved = termios()
    guard tcgetattr(terminal, &saved) == 0 else { return "" }
    // A signal meanwhile could leave the terminal without echo.
    var (signals, previous) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(terminal, TCSANOW, &silent) == 0 else { return "" }
    defer { tcsetattr(terminal, TCSAFLUSH, &saved) }
    guard writeAll(query, to: terminal) else { return "" }
    return response(from: terminal, until: isComplete)
  }

  private static func response(from terminal: CInt, until isComplete: (String) -> Bool) -> String {
    var bytes: [UInt8] = []
    let end = monotonicMilliseconds() + limitMilliseconds
    while bytes.count < lengthLimit {
      let text = String(decoding: bytes, as: UTF8.self)
      let left = end - monotonicMilliseconds()
      if isComplete(text) || left <= 0 { return text }
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, CInt(left)) > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 256)
      let count = read(terminal, &chunk, chunk.count)
      if count <= 0 { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The size of a terminal.
struct TerminalSize {
  var columns = 80
  var rows = 24
  /// The size of a cell in pixels; a common size if the terminal does not report it.
  var cell = (width: 8, height: 16)

  /// - Parameter descriptor: A file descriptor of the terminal.
  init(of descriptor: CInt) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return
    }
    (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    if size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row {
      cell = (Int(size.ws_xpixel) / columns, Int(size.ws_ypixel) / rows)
    }
  }
}
