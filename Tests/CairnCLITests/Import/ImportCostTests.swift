import Foundation
import TestSupport
import Testing

/// Counts what an import costs.
@Suite("Cost of imports")
struct ImportCostTests {
  @Test(
    "makes few system calls for each label when all documents are checked out",
    .enabled(if: KillTests.canTrace, "strace cannot trace here"))
  func systemCalls() throws {
    func calls(labels: Int) throws -> Int {
      let box = try Sandbox()
      let photo = try box.startDataset(photos: 1)[0]
      let lines = (0..<labels).map {
        #"{"annotator":"model:net-\#($0)@1","class":"oak","photo":"\#(photo)"}"# + "\n"
      }
      try box.write(lines.joined(), to: "lines.jsonl")
      let cairn = try #require(Programs.cairn)
      let output = box.url("calls").path
      try box.succeed(
        "strace",
        [
          "-f", "-qq", "-c", "-e", "trace=%file,%desc", "-o", output, cairn.path, "import",
          "documents", "../lines.jsonl",
        ], in: "a")
      // Percent, seconds, microseconds for each call, calls, errors if there are any, name.
      let rows = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        .map { $0.split(separator: " ") }
      return rows.reduce(0) { sum, row in
        guard row.count >= 5, row.last != "total" else { return sum }
        return sum + (Int(row[3]) ?? 0)
      }
    }
    let (few, many) = (try calls(labels: 500), try calls(labels: 2500))
    // To create, write and close a file, rename it, and read its status before and after that.
    #expect(many - few <= 7 * 2000, "\(few) and \(many)")
  }
}
