import Cairn
import Testing

@testable import CairnCLI

@Suite("Progress on the terminal")
struct ProgressLineTests {
  private let full = String(repeating: "█", count: 15)
  private let empty = String(repeating: "░", count: 15)

  @Test("shows a bar, or the count alone if the total is unknown")
  func counts() {
    #expect(
      OperationProgress("checking", 20, of: 40).line(after: 900, columns: 200)
        == "checking \(full)\(empty) 20/40")
    #expect(
      OperationProgress("reading", 512, of: 0).line(after: 900, columns: 200) == "reading: 512")
  }

  @Test("shows the bytes, the rate and the time left of a transfer of images")
  func bytes() {
    let progress = OperationProgress(
      "receiving images", 3, of: 9, bytes: .init(completed: 2_000_000, total: 4_000_000))
    let line = progress.line(after: 1_000, columns: 200)
    #expect(line.hasPrefix("receiving images \(full)\(empty) 3/9, "))
    #expect(line.hasSuffix("/s, 1 s left"))
    let slow = OperationProgress(
      "sending images", 0, of: 9, bytes: .init(completed: 10_000, total: 4_000_000))
    #expect(slow.line(after: 1_000, columns: 200).hasSuffix("/s, 6 min left"))
    let start = OperationProgress(
      "sending images", 0, of: 9, bytes: .init(completed: 0, total: 4_000_000))
    #expect(start.line(after: 1, columns: 200).hasSuffix("/s"))
  }

  @Test("is shorter than the terminal is wide", arguments: [1, 20, 50, 60, 80, 81, 97, 120])
  func narrow(columns: Int) {
    let progress = OperationProgress(
      "receiving images", 120, of: 4000,
      bytes: .init(completed: 120_000_000, total: 1_200_000_000))
    for progress in [progress, OperationProgress("checking", 20, of: 40)] {
      let line = progress.line(after: 35_000, columns: columns)
      #expect(line.count < max(columns, 2), "\(line)")
      if columns == 120 { #expect(line.contains("█"), "\(line)") }
      if columns == 80 { #expect(line.hasPrefix(progress.step) && !line.contains("…"), "\(line)") }
    }
  }

  @Test("aligns tables with emoji and East Asian characters, which take two columns")
  func tables() {
    for wide in ["🪴", "⭐", "⌚", "⚡", "❤️", "👩‍🌾", "柴", "한"] {
      let table = Console.table([[wide, "b"], ["ab", "b"], ["é", "b"]])
      #expect(table == ["\(wide)  b", "ab  b", "é   b"])
    }
  }

  @Test("is an event with --json")
  func events() {
    #expect(
      OperationProgress("checking", 20, of: 40).event(after: 900) == [
        "done": 20, "event": "progress", "total": 40, "what": "checking",
      ])
    let transfer = OperationProgress(
      "sending images", 1, of: 2, bytes: .init(completed: 500, total: 1_000))
    #expect(
      transfer.event(after: 250) == [
        "bytes": 500, "bytesPerSecond": 2_000, "done": 1, "event": "progress", "total": 2,
        "totalBytes": 1_000, "what": "sending images",
      ])
  }
}
