import Foundation
import TestSupport
import Testing

@Suite("cairn textconv")
struct TextconvTests {
  /// Runs git with `cairn textconv` as its diff driver for documents.
  private func git(_ box: Sandbox, _ arguments: String...) throws -> [String] {
    let output = try box.run(
      "git", ["-c", "diff.cairn.textconv=cairn textconv"] + arguments, in: "a")
    #expect(output.status == 0, "\(output.stderr)")
    return output.lines
  }

  @Test("shows documents as lines of text in git diff and git log")
  func git() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photo, "oak", "--absent", "--confidence", "0.5", in: "a")

    let diff = try git(box, "diff", "--", "labels")
    for line in [
      " photo \(photo)", " class oak", " annotator human:ann@example.org", "-verdict present",
      "+verdict absent", "-confidence 1", "+confidence 0.5",
    ] {
      #expect(diff.contains(line), "\(line) in \(diff)")
    }
    #expect(diff.count { $0.hasPrefix("+stamp ") && $0.contains(" UTC") } == 1)
    #expect(!diff.contains { $0.contains("\"") })

    try box.cairn("commit", in: "a")
    let log = try git(box, "log", "-p", "--format=%s", "--", "labels", "classes", "cairn.json")
    #expect(log.contains("+class oak"))
    #expect(log.contains("+name oak"))
    #expect(log.contains("+policy.people majority"))
    #expect(log.contains("-verdict present"))
  }

  @Test("indents the lines of a multi-line text and escapes control characters")
  func severalLines() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let path = "a/\(Sandbox.photoPath(photo))"
    let text = try box.text(path)
    let empty = try #require(text.range(of: "\"value\": \"\""))
    try box.write(
      text.replacingCharacters(in: empty, with: #""value": "one\ntwo\u001b[2J""#), to: path)
    let lines = try box.cairn("textconv", path).lines
    #expect(Array(lines[1...3]) == ["caption", "  | one", "  | two\\u{1B}[2J"])
  }

  @Test(
    "prints a file that is not a document unchanged",
    arguments: ["", "no document\n", "{}\n", "\u{1B}[31m", "{\"kind\": \"photo\"}"])
  func asItIs(text: String) throws {
    let box = try Sandbox(hasIdentity: false)
    try box.write(text, to: "file")
    let output = try box.cairn("textconv", "file")
    #expect(output.stdout == text)
    #expect(output.stderr == "")
  }

  @Test("prints a file that is larger than any document unchanged")
  func large() throws {
    let box = try Sandbox(hasIdentity: false)
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try box.write(bytes, to: "file")
    #expect(try box.cairn("textconv", "file").bytes == bytes)
  }

  @Test("reports a missing file, and is not listed in help")
  func missing() throws {
    let box = try Sandbox()
    try box.refuses("textconv", "nothing", with: ExitStatus.notFound, hint: false)
    #expect(try !box.cairn("help").stdout.contains("textconv"))
  }
}
