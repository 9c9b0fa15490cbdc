import Foundation
import Testing

@Suite("Documents in words, for git")
struct TextconvTests {
  /// Runs git with the command as its driver for documents.
  private func git(_ box: Sandbox, _ arguments: String...) throws -> [String] {
    let output = try box.run(
      "git", ["-c", "diff.cairn.textconv=cairn textconv"] + arguments, in: "a")
    #expect(output.status == 0, "\(output.stderr)")
    return output.lines
  }

  @Test("git tells in words what was said, in the work tree and in history")
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
    #expect(diff.count { $0.hasPrefix("+said ") && $0.contains(" UTC") } == 1)
    #expect(!diff.contains { $0.contains("\"") })

    try box.cairn("commit", in: "a")
    let log = try git(box, "log", "-p", "--format=%s", "--", "labels", "classes", "cairn.json")
    #expect(log.contains("+class oak"))
    #expect(log.contains("+name oak"))
    #expect(log.contains("+policy.people majority"))
    #expect(log.contains("-verdict present"))
  }

  @Test("a text of several lines is told line by line, without what moves a cursor")
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
    "what is no document is printed as it is",
    arguments: ["", "no document\n", "{}\n", "\u{1B}[31m", "{\"kind\": \"photo\"}"])
  func asItIs(text: String) throws {
    let box = try Sandbox(hasIdentity: false)
    try box.write(text, to: "file")
    let output = try box.cairn("textconv", "file")
    #expect(output.stdout == text)
    #expect(output.stderr == "")
  }

  @Test("a file larger than any document is printed as it is, whole")
  func large() throws {
    let box = try Sandbox(hasIdentity: false)
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try box.write(bytes, to: "file")
    #expect(try box.cairn("textconv", "file").bytes == bytes)
  }

  @Test("a file that is not there is an error, and help does not speak of the command")
  func missing() throws {
    let box = try Sandbox()
    try box.refuses("textconv", "nothing", with: ExitStatus.notFound, hint: false)
    #expect(try !box.cairn("help").stdout.contains("textconv"))
  }
}
