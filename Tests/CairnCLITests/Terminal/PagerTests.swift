import Foundation
import TestSupport
import Testing

@Suite("The pager", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct PagerTests {
  /// Runs a shell line in a terminal; returns what it shows, and its exit status.
  private func show(
    _ line: String, _ box: Sandbox, location: SourceLocation = #_sourceLocation
  ) throws -> (text: String, status: Int) {
    let result = try box.keyboard(
      #"""
      session = shell(r"""\#(line)""")
      status = ended(session)
      report({"text": session.before, "status": status})
      """#, location: location)
    return (result["text"].string, Int(result["status"].number))
  }

  @Test("is GIT_PAGER, core.pager or PAGER, in this order, and only for long output on a terminal")
  func choice() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 2)
    func pager(_ name: String) -> String { "sed 's/^/\(name):/'" }
    let variables = "PAGER=\"\(pager("P"))\" "
    #expect(try show(variables + "cairn find", box).text.contains("P:"))
    try box.git("config", "core.pager", pager("C"), in: "a")
    #expect(try show(variables + "cairn find", box).text.contains("C:"))
    #expect(try show(variables + "cairn help", box).text.contains("P:"))
    let git = variables + "GIT_PAGER=\"\(pager("G"))\" "
    #expect(try show(git + "cairn find --json", box).text.contains("G:"))
    for line in [
      "cairn find --no-pager", "cairn --no-pager find", "cairn find | cat", "cairn status",
      "GIT_PAGER= cairn find", "GIT_PAGER=cat cairn find", "TERM=dumb cairn find",
    ] {
      let shown = try show(line, box)
      #expect(!shown.text.contains("C:"), "\(line): \(shown.text)")
      #expect(shown.status == 0 && !shown.text.isEmpty, "\(line)")
    }
  }

  @Test("gets colors, and settings with which less quits after one screen")
  func settings() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    let shown = try show("GIT_PAGER='echo LESS=$LESS LV=$LV; cat' cairn log", box).text
    #expect(shown.contains("LESS=FRX LV=-c"))
    #expect(shown.contains("\u{1B}[33m"))
    let own = try show("LESS=R GIT_PAGER='echo LESS=$LESS; cat' cairn log", box).text
    #expect(own.contains("LESS=R"))
  }

  @Test("may be missing, or quit before it has read everything")
  func ends() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 40)
    let missing = try show("GIT_PAGER=no-such-pager cairn find", box)
    #expect(missing.status == 0 && missing.text.split(whereSeparator: \.isNewline).count >= 40)
    let quit = try show("GIT_PAGER='head -n 1' cairn find --json", box)
    #expect(quit.status == 0, "\(quit)")
    #expect(quit.text.split(whereSeparator: \.isNewline).count == 1)
    // The exit status of an error is kept.
    let failed = try show("GIT_PAGER=cat cairn show 0000", box)
    #expect(failed.status == Int(ExitStatus.notFound))
  }

  @Test("also shows messages that would go to the terminal, which it draws over")
  func messages() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 2)
    // The error is printed as JSON, which starts the pager, and then as text.
    let line = "GIT_PAGER='cat > paged.txt' cairn find conf:x --json"
    let shown = try show(line, box)
    #expect(shown.status == Int(ExitStatus.badData), "\(shown)")
    #expect(!shown.text.contains("cairn:") && !shown.text.contains("hint:"), "\(shown)")
    let paged = try box.text("a/paged.txt")
    #expect(paged.contains("\"error\"") && paged.contains("cairn: "), "\(paged)")
    // Messages that go elsewhere still do.
    _ = try show(line + " 2> errors.txt", box)
    #expect(try !box.text("a/paged.txt").contains("cairn: "))
    #expect(try box.text("a/errors.txt").contains("cairn: "))
  }

  @Test(
    "is less by default, which Ctrl-C does not end",
    .enabled(if: Programs.isInstalled("less"), "less is not installed"))
  func less() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 60)
    let result = try box.keyboard(
      """
      session = shell("exec cairn find")
      # less waits for a key at the end of the first screen.
      session.expect(r":\\x1b\\[K")
      session.sendintr()
      # less shows its prompt again; keys that come before may be lost with the interrupted read.
      session.expect(r":\\x1b\\[K")
      session.send("G")
      session.expect("END")
      session.send("q")
      report({"status": ended(session)})
      """)
    #expect(result["status"].number == 0)
    let short = try box.keyboard(
      """
      session = shell("exec cairn find --limit 3")
      report({"status": ended(session)})
      """)
    #expect(short["status"].number == 0)
  }
}
