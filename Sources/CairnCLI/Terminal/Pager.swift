import Cairn
import CairnProcess
import LibC
import Synchronization
import SystemPackage

/// A command whose output may be longer than the terminal, and is shown in a pager there.
protocol PagedCommand {}

/// The pager of the output on a terminal, which starts with the first output. From then on it also
/// shows messages, if they would go to the terminal.
///
/// Source: git's pager.c; git-config(1), “core.pager”.
final class Pager: Sendable {
  private enum State {
    /// The output is written to the terminal.
    case off
    /// The pager starts with the next output.
    case waiting
    case running(Pager)
  }

  private static let state = Mutex(State.off)
  /// The value of `core.pager`, once the dataset is open.
  private static let configured = Mutex<String?>(nil)

  private let process: CInt
  private let input: FileDescriptor
  /// The terminal that was stderr before the pager drew over it; nil if stderr is another file.
  private let terminal: FileDescriptor?

  private init(process: CInt, input: FileDescriptor) {
    (self.process, self.input) = (process, input)
    terminal = isTerminal(2) ? try? FileDescriptor.standardError.duplicate() : nil
    if terminal != nil {
      _ = try? input.duplicate(as: .standardError)
      Pager.takesMessages.store(true, ordering: .relaxed)
    }
  }

  /// Whether messages go to the pager, which has no use for progress.
  static let takesMessages = Atomic(false)

  /// Shows the following output in a pager, if it goes to a terminal.
  static func enable() {
    // The styles depend on the terminal, not on the pipe to the pager.
    guard isTerminal(1), (variable("TERM") ?? "dumb") != "dumb" else { return }
    state.withLock { $0 = .waiting }
  }

  /// Sets what git's configuration names, if a pager will be used.
  static func setConfigured(_ value: () throws -> String?) {
    guard state.withLock({ if case .waiting = $0 { true } else { false } }) else { return }
    let value = try? value()
    configured.withLock { $0 = value }
  }

  /// Returns the pager that gets the output; nil if it goes to stdout.
  static func forOutput() -> Pager? {
    state.withLock { state in
      switch state {
      case .off: return nil
      case .running(let pager): return pager
      case .waiting:
        guard let pager = start() else {
          state = .off
          return nil
        }
        state = .running(pager)
        atexit { Pager.finish() }
        return pager
      }
    }
  }

  /// The command line of the pager; nil for none.
  private static var commandLine: String? {
    let chosen =
      variable("GIT_PAGER") ?? configured.withLock { $0 }
      ?? (try? GitConfiguration.user.value(of: "core.pager")) ?? variable("PAGER") ?? "less"
    return chosen.isEmpty || chosen == "cat" ? nil : chosen
  }

  private static func start() -> Pager? {
    guard let commandLine else { return nil }
    // What git sets for less: quit if the output fits on the screen, pass colors through.
    var changes: [String: String?] = [:]
    if variable("LESS") == nil { changes["LESS"] = "FRX" }
    if variable("LV") == nil { changes["LV"] = "-c" }
    // A plain command line is run directly, so that a missing program is noticed.
    let needsShell = commandLine.contains { "|&;<>()$`\\\"' \t\n*?[#~=%".contains($0) && $0 != " " }
    let words =
      needsShell
      ? ["sh", "-c", commandLine] : commandLine.split(separator: " ").map(String.init)
    guard let program = words.first,
      let started = try? startProcess(
        program, Array(words.dropFirst()), environment: changes,
        streams: [.input, .inherited, .inherited])
    else { return nil }
    // Ctrl-C is for the pager; when it ends, the next write fails.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    return Pager(process: started.process, input: started.ends[0])
  }

  /// Writes to the pager; ends the process if the user has quit it.
  func write(_ text: String) {
    if (try? input.writeAll(text.utf8)) == nil { endProcess(0) }
  }

  /// Waits until the user quits the pager.
  private static func finish() {
    let pager = state.withLock { state -> Pager? in
      guard case .running(let pager) = state else { return nil }
      state = .off
      return pager
    }
    guard let pager else { return }
    try? pager.input.close()
    _ = try? pager.terminal?.duplicate(as: .standardError)
    var status: CInt = 0
    while waitpid(pager.process, &status, 0) == -1, errno == EINTR {}
  }
}
