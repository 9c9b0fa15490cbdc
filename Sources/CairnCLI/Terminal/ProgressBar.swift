import Cairn

/// Progress of longer work on stderr: a bar on a terminal, or with `--json` events of one JSON line
/// each.
final class ProgressBar: @unchecked Sendable {
  // One thread at a time reports progress; the class is marked Sendable because a closure carries
  // it.
  private let start = monotonicMilliseconds()
  private var shown: Int64 = 0
  private var imagesSince: Int64 = 0
  private let isOn: Bool
  private let printsEvents: Bool

  init(_ globals: GlobalOptions? = nil, _ quiet: QuietOption? = nil) {
    let isQuiet = quiet?.isOn ?? false
    isOn = isTerminal(2) && !isQuiet
    printsEvents = (globals?.json ?? false) && !isQuiet
  }

  /// The milliseconds before the bar appears; shorter work shows none.
  private static let delay: Int64 = 500

  private func isDue(every milliseconds: Int64) -> Bool {
    let now = monotonicMilliseconds()
    guard now - start > ProgressBar.delay, now - shown > milliseconds else { return false }
    shown = now
    return true
  }

  /// - Parameter total: 0 if the total is not known yet.
  func update(_ what: String, _ done: Int, _ total: Int = 0) {
    guard isOn || printsEvents, total > 0 || done > 0, isDue(every: printsEvents ? 1000 : 50)
    else { return }
    if printsEvents {
      return printEvent(["done": JSON(done), "total": JSON(total), "what": .string(what)])
    }
    let text = total == 0 ? ": \(done)" : " \(bar(done, total)) \(done)/\(total)"
    writeAll("\r\u{1B}[K\(what)\(text)", to: 2)
  }

  func update(_ progress: ImageProgress) {
    if imagesSince == 0 { imagesSince = monotonicMilliseconds() }
    guard isOn || printsEvents, isDue(every: printsEvents ? 1000 : 100) else { return }
    let what = progress.direction == .upload ? "sending images" : "receiving images"
    let rate = Double(progress.bytes) / Double(max(1, shown - imagesSince)) * 1000
    if printsEvents {
      return printEvent([
        "bytes": JSON(progress.bytes), "bytesPerSecond": JSON(Int(rate)),
        "done": JSON(progress.images), "total": JSON(progress.totalImages),
        "totalBytes": JSON(progress.totalBytes), "what": .string(what),
      ])
    }
    var line = "\(what) \(bar(progress.bytes, progress.totalBytes))"
    line += " \(progress.images)/\(progress.totalImages)"
    line += ", \(byteText(progress.bytes)) of \(byteText(progress.totalBytes))"
    line += ", \(byteText(Int(rate)))/s"
    if rate > 0 {
      let left = Int(Double(max(0, progress.totalBytes - progress.bytes)) / rate)
      line += ", \(left < 60 ? "\(left) s" : "\(left / 60) min") left"
    }
    writeAll("\r\u{1B}[K\(line)", to: 2)
  }

  private func bar(_ done: Int, _ total: Int) -> String {
    let width = 30
    let filled = total > 0 ? min(width, max(0, Int(Double(done) / Double(total) * 30))) : 0
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
  }

  private func printEvent(_ members: JSONObject) {
    var event = members
    event["event"] = "progress"
    writeAll(JSON.object(event).line, to: 2)
  }

  func finish() { if shown > 0, isOn, !printsEvents { writeAll("\r\u{1B}[K", to: 2) } }

  var options: TransferOptions {
    var options = TransferOptions()
    options.progress = { [self] in update($0, $1, $2) }
    options.imageProgress = { [self] in update($0) }
    return options
  }
}
