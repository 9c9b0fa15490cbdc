import LibC

/// What a terminal says of itself.
enum TerminalQuestion {
  /// An answer comes at once, over a line from the other side of the world, too, or never.
  private static let limitMilliseconds: Int64 = 300
  private static let lengthLimit = 4096

  /// Writes `question` to the terminal that the process belongs to, and returns what it answers up to a
  /// text for which `isWhole` holds; what came by then when the time is over, nothing where there is
  /// nobody to ask.
  ///
  /// Nothing of the answer is shown, and what was typed meanwhile is lost.
  static func ask(_ question: String, until isWhole: (String) -> Bool) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return "" }
    defer { close(terminal) }
    // In the background it would be stopped for asking.
    guard tcgetpgrp(terminal) == getpgrp() else { return "" }
    var saved = termios()
    guard tcgetattr(terminal, &saved) == 0 else { return "" }
    // Ended in the middle, it would leave a terminal that shows nothing that is typed.
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(terminal, TCSANOW, &silent) == 0 else { return "" }
    defer { tcsetattr(terminal, TCSAFLUSH, &saved) }
    guard writeAll(question, to: terminal) else { return "" }
    return answer(from: terminal, until: isWhole)
  }

  private static func answer(from terminal: CInt, until isWhole: (String) -> Bool) -> String {
    var bytes: [UInt8] = []
    let end = monotonicMilliseconds() + limitMilliseconds
    while bytes.count < lengthLimit {
      let text = String(decoding: bytes, as: UTF8.self)
      let left = end - monotonicMilliseconds()
      if isWhole(text) || left <= 0 { return text }
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

/// How much fits a terminal.
struct TerminalSize {
  var columns = 80
  var rows = 24
  /// In pixels; of a terminal that does not say, as most have it.
  var cell = (width: 8, height: 16)

  /// - Parameter descriptor: The terminal.
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
