internal import LibC

/// Signals as bytes of a pipe, so that whoever waits for keys hears them.
///
/// Only one exists in a process: handlers have no other memory than what is the process's.
enum SignalPipe {
  // Written before the handlers are there and read by them alone.
  nonisolated(unsafe) private static var entry: CInt = -1
  nonisolated(unsafe) private static var terminal: CInt = -1
  nonisolated(unsafe) private static var original = termios()
  nonisolated(unsafe) private static var endings: sig_atomic_t = 0
  nonisolated(unsafe) private static var isOpen = false
  nonisolated(unsafe) private static var isNoted = false
  /// What each of ``sudden`` did before, by its number.
  nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 65)

  /// The signals that end a process, unless it has something to put in order first.
  static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  static let others: [CInt] = [SIGWINCH, SIGTSTP, SIGCONT]

  /// Those by which a process ends at once: that of a fault, of a limit, or one that means nothing here.
  private static let sudden: [CInt] = [
    SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
    SIGPROF, SIGXCPU, SIGXFSZ, SIGPIPE,
  ]

  /// Begins to write signals to `entry`. A second one that ends the process ends it at once, with
  /// the terminal as it was.
  static func open(entry: CInt, terminal: CInt, original: termios) {
    (self.entry, self.terminal, self.original) = (entry, terminal, original)
    (endings, isOpen) = (0, true)
    // Whoever ends the process from within an answer leaves the terminal as it was, too.
    if !isNoted {
      atexit { SignalPipe.restoreAtExit() }
      for signal in sudden { catchSudden(signal) }
    }
    isNoted = true
    // Who started us may have blocked them, as the threads of a pool do.
    var heard = sigset_t()
    sigemptyset(&heard)
    for signal in ending + others {
      hear(signal)
      sigaddset(&heard, signal)
    }
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
  }

  /// Has a signal put the terminal back before it does what it did; one that is ignored stays so.
  private static func catchSudden(_ signal: CInt) {
    var (action, before) = (sigaction(), sigaction())
    guard sigaction(signal, nil, &before) == 0 else { return }
    let code:
      @convention(c) (CInt, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?)
        -> Void = { number, info, _ in SignalPipe.endSuddenly(number, info) }
    #if canImport(Darwin)
      if unsafeBitCast(before.__sigaction_u.__sa_handler, to: Int.self) == ignored { return }
      action.__sigaction_u.__sa_sigaction = code
    #else
      if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == ignored { return }
      action.__sigaction_handler.sa_sigaction = code
    #endif
    action.sa_flags = SA_SIGINFO
    former[Int(signal)] = before
    sigaction(signal, &action, nil)
  }

  /// SIG_IGN, which is no address of a function.
  private static let ignored = 1

  private static func hear(_ signal: CInt) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { SignalPipe.note($0) }
    #else
      action.__sigaction_handler.sa_handler = { SignalPipe.note($0) }
    #endif
    sigaction(signal, &action, nil)
  }

  /// Stops the process as SIGTSTP does by itself: the kernel does not, where nobody could continue it.
  static func stop() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    hear(SIGTSTP)
  }

  /// Lets signals do what they do by themselves again.
  static func close() {
    isOpen = false
    for number in ending + others { signal(number, SIG_DFL) }
  }

  private static func restoreAtExit() {
    if isOpen { tcsetattr(terminal, TCSANOW, &original) }
  }

  // Only calls that POSIX lets handlers make (2.4.3, “Signal Actions”).

  private static func endSuddenly(_ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?) {
    // In the background the terminal is somebody else's.
    if isOpen, tcgetpgrp(terminal) == getpgrp() { tcsetattr(terminal, TCSANOW, &original) }
    sigaction(number, former + Int(number), nil)
    // A fault comes again when this returns, and what was sent is sent again.
    if info.map({ $0.pointee.si_code <= 0 }) ?? true { raise(number) }
  }

  private static func note(_ number: CInt) {
    let code = errno
    if number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT {
      endings += 1
      if endings > 1 {
        tcsetattr(terminal, TCSANOW, &original)
        _exit(128 + number)
      }
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(entry, &byte, 1)
    errno = code
  }
}
