import Cairn
import CairnTerminal
import Synchronization

/// The progress of operations on stderr: a bar on a terminal, or with `--json` events of one JSON
/// line each.
final class ProgressBar: Sendable {
  private struct State {
    var step = ""
    /// When the step began, and when it was last shown.
    var (start, shown): (Int64, Int64) = (0, 0)
  }

  private let opened = monotonicMilliseconds()
  private let isOn: Bool
  private let printsEvents: Bool
  private let state = Mutex(State())

  init(_ globals: GlobalOptions) {
    printsEvents = globals.json && !globals.quiet
    isOn = printsEvents || isTerminal(2) && !globals.quiet
  }

  /// The milliseconds before the bar appears; shorter work shows none.
  private static let delay: Int64 = 500

  func update(_ progress: OperationProgress) {
    guard isOn, progress.total > 0 || progress.completed > 0 else { return }
    if Pager.takesMessages.load(ordering: .relaxed) { return }
    let isComplete = progress.total > 0 && progress.completed >= progress.total
    if isComplete, !printsEvents { return Console.clearProgress() }
    let now = monotonicMilliseconds()
    let interval: Int64 = printsEvents ? 1000 : progress.bytes == nil ? 50 : 100
    let elapsed = state.withLock { state -> Int64? in
      if state.step != progress.step { (state.step, state.start) = (progress.step, now) }
      guard now - opened > ProgressBar.delay, now - state.shown > interval else { return nil }
      state.shown = now
      return max(1, now - state.start)
    }
    guard let elapsed else { return }
    if printsEvents {
      writeAll(progress.event(after: elapsed).line, to: 2)
    } else {
      let columns = TerminalSize(of: 2).columns
      Console.show(progress: progress.line(after: elapsed, columns: columns))
    }
  }
}

extension OperationProgress {
  /// Returns a bar with the counts, and with the rate of a transfer.
  ///
  /// - Parameters:
  ///   - elapsed: The milliseconds since the step began.
  ///   - columns: The width of the terminal. The line is shorter, so that it does not wrap.
  func line(after elapsed: Int64, columns: Int) -> String {
    let counts = total == 0 && bytes == nil ? ": \(completed)" : " \(completed)/\(total)"
    let rest = counts + (bytes.map { transfer($0, after: elapsed) } ?? "")
    let room = columns - 2 - (step + rest).columns
    let line =
      room < OperationProgress.narrowestBar || total == 0 && bytes == nil
      ? step + rest : "\(step) \(bar(width: min(room, OperationProgress.widestBar)))\(rest)"
    return line.fitting(columns: columns - 1)
  }

  private static let narrowestBar = 5
  private static let widestBar = 30

  private func transfer(_ bytes: Bytes, after elapsed: Int64) -> String {
    let rate = bytes.rate(after: elapsed)
    var text = ", \(byteText(bytes.completed)) of \(byteText(bytes.total)), \(byteText(rate))/s"
    if rate > 0 {
      let left = max(0, bytes.total - bytes.completed) / rate
      text += ", \(left < 60 ? "\(left) s" : "\(left / 60) min") left"
    }
    return text
  }

  private func bar(width: Int) -> String {
    let (done, total) = bytes.map { ($0.completed, $0.total) } ?? (completed, total)
    let share = total > 0 ? Double(done) / Double(total) : 0
    let filled = min(width, max(0, Int(share * Double(width))))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
  }

  /// Returns the event that `--json` prints.
  ///
  /// - Parameter elapsed: The milliseconds since the step began.
  func event(after elapsed: Int64) -> JSON {
    var event: JSONObject = [
      "done": JSON(completed), "event": "progress", "total": JSON(total), "what": .string(step),
    ]
    if let bytes {
      event["bytes"] = JSON(bytes.completed)
      event["bytesPerSecond"] = JSON(bytes.rate(after: elapsed))
      event["totalBytes"] = JSON(bytes.total)
    }
    return .object(event)
  }
}

extension OperationProgress.Bytes {
  /// Returns the bytes per second after a time in milliseconds.
  fileprivate func rate(after elapsed: Int64) -> Int {
    Int(Double(completed) / Double(elapsed) * 1000)
  }
}
