import Foundation

/// The figures of a run, a line each.
struct Table {
  private var rows: [[String]] = [["work", "cairn", "peer", "peer/cairn", "the peer's way"]]

  /// Adds the medians of both sides and their ratio.
  mutating func add(_ work: String, cairn: [Double], peer: [Double], _ way: String) {
    let (a, b) = (median(cairn), median(peer))
    rows.append([work, milliseconds(a), milliseconds(b), String(format: "%.2f", b / a), way])
  }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
        .joined(separator: "  ")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func milliseconds(_ seconds: Double) -> String {
    String(format: "%.1f ms", seconds * 1000)
  }
}
