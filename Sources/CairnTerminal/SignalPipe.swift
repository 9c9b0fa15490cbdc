internal import LibC

/// A pipe that receives signals as bytes, so that waiting for keys also detects signals.
///
/// Only one exists in a process: signal handlers can only access global state.
enum SignalPipe {
  // Written before the handlers are installed and read only by them.
  nonisolated(unsafe) private static var entry: CInt = -1
  nonisolated(unsafe) private static var terminal: CInt = -1
  nonisolated(unsafe) private static var endings: sig_atomic_t = 0
  nonisolated(unsafe) private static var isOpen = false
  nonisolated(unsafe) private static var hasExitHandlers = false
  /// The terminal's settings. Not a `termios()`: the optimizer of Swift 6.3 gives such a global 57 of
  /// its 60 bytes.
  nonisolated(unsafe) private static let original = UnsafeMutablePointer<termios>.allocate(
    capacity: 1)
  /// The previous action of each signal in ``fatal``, by its number.
  nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 65)

  /// The signals that end a process, after it has cleaned up.
  static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  static let others: [CInt] = [SIGWINCH, SIGTSTP, SIGCONT]

  /// The signals that end a process at once: faults, limits, and signals not used here.
  private static let fatal: [CInt] = [
    SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
    SIGPROF, SIGXCPU, SIGXFSZ, SIGPIPE,
  ]

  /// Starts writing signals to `entry`. A second ending signal ends the process at once, with the
  /// terminal restored.
  static func open(entry: CInt, terminal: CInt, original: termios) {
    (self.entry, self.terminal) = (entry, terminal)
    self.original.initialize(to: original)
    (endings, isOpen) = (0, true)
    // Also restore the terminal if code that handles an event exits the process.
    if !hasExitHandlers {
      atexit { SignalPipe.restoreAtExit() }
      for signal in fatal { catchFatal(signal) }
    }
    hasExitHandlers = true
    // The parent may have blocked them, as the threads of a pool do.
    var handled = sigset_t()
    sigemptyset(&handled)
    for signal in ending + others {
      installHandler(signal)
      sigaddset(&handled, signal)
    }
    pthread_sigmask(SIG_UNBLOCK, &handled, nil)
  }

  /// Makes a signal restore the terminal before its previous action; an ignored signal stays
  /// ignored.
  private static func catchFatal(_ signal: CInt) {
    var (action, before) = (sigaction(), sigaction())
    guard sigaction(signal, nil, &before) == 0 else { return }
    let code:
      @convention(c) (CInt, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?)
        -> Void = { number, info, _ in SignalPipe.handleFatal(number, info) }
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

  /// SIG_IGN, which is not the address of a function.
  private static let ignored = 1

  private static func installHandler(_ signal: CInt) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { SignalPipe.note($0) }
    #else
      action.__sigaction_handler.sa_handler = { SignalPipe.note($0) }
    #endif
    sigaction(signal, &action, nil)
  }

  /// Stops the process as SIGTSTP does by default; the kernel does not if nobody could continue it.
  static func stop() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    installHandler(SIGTSTP)
  }

  /// Restores the default actions of the signals.
  static func close() {
    isOpen = false
    for number in ending + others { signal(number, SIG_DFL) }
  }

  private static func restoreAtExit() {
    if isOpen { tcsetattr(terminal, TCSANOW, original) }
  }

  // Only calls that POSIX allows in handlers (2.4.3, “Signal Actions”).

  private static func handleFatal(_ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?) {
    // In the background, the terminal belongs to another process.
    if isOpen, tcgetpgrp(terminal) == getpgrp() { tcsetattr(terminal, TCSANOW, original) }
    sigaction(number, former + Int(number), nil)
    // A fault repeats when this returns; a signal sent by a process is raised again.
    if info.map({ $0.pointee.si_code <= 0 }) ?? true { raise(number) }
  }

  private static func note(_ number: CInt) {
    let code = errno
    if number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT {
      endings += 1
      if endings > 1 {
        tcsetattr(terminal, TCSANOW, original)
        _exit(128 + number)
      }
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(entry, &byte, 1)
    errno = code
  }
}
