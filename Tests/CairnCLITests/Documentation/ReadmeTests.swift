import Foundation
import TestSupport
import Testing

@Suite("README and Getting Started")
struct ReadmeTests {
  private let box: Sandbox
  private let alice: EmptyHome
  private let page: Page
  /// The photo ids on the page, and those in this run: another zlib makes different bytes.
  private let ids: [(shown: String, here: String)]

  init() throws {
    (box, page) = (try Sandbox(user: "Ann"), try Page("GettingStarted"))
    alice = try EmptyHome(box, "alice")
    let names = ["north-slope-1.png", "north-slope-2.png"]
    let added = try alice.run(
      """
      git config --global user.name Alice
      git config --global user.email alice@example.org
      ~/cairn/Tests/Demo/photos ~/camera
      cairn init laptop
      cd laptop
      cairn photo add ~/camera/\(names[0]) ~/camera/\(names[1])
      cairn remote add origin ~/walk.git --create
      cairn sync
      """)
    func id(of name: String, in text: String) throws -> String {
      let line = try #require(text.firstMatch(of: try Regex("added ([0-9a-f]{12}) \(name)")))
      return String(try #require(line.output[1].substring))
    }
    let text = page.text
    let whole = try names.map { (try id(of: $0, in: text), try id(of: $0, in: added)) }
    // The ids as commands show them and, abbreviated, as the page passes them to commands.
    ids = whole + whole.map { (String($0.prefix(8)), String($1.prefix(8))) }
  }

  @Test("runs the quick start as printed, in a home directory without a git identity")
  func quickStart() throws {
    let bob = try EmptyHome(box, "bob")
    let blocks = try Page(path: "README.md").section("Quick start").code(in: "sh")
    try #require(blocks.count == 1)
    #expect(blocks[0].split(separator: "\n").count <= 12)
    let output = try bob.run(blocks[0])
    #expect(output.contains("“Scots pine” is rejected: labeled absent by alice@example.org."))
    #expect(output.contains("Cloned “walk” into \(bob.path)/second-device"))
  }

  @Test("prints what the page shows when a model predicts, is corrected and predicts again")
  func model() throws {
    let blocks = page.code(in: "console")
    let block = try #require(blocks.first { $0.contains("cairn labeler add ground") })
    let steps = block.split(separator: "$ cairn ")
    #expect(steps.count == 7)
    var folders: [Substring] = []
    for step in steps {
      var (command, wanted) = (
        "cairn " + step.prefix { $0 != "\n" }, String(step.drop { $0 != "\n" })
      )
      for id in ids {
        command = command.replacing(id.shown, with: id.here)
        wanted = wanted.replacing(id.shown, with: id.here)
      }
      let output = try alice.run("cd laptop\n\(command)")
      // By chance, both runs are in one directory: then there is one object less.
      folders += output.matches(of: /\brun ([0-9a-f]{2})[0-9a-f]{6}\b/).map(\.output.1)
      if folders.count > Set(folders).count { wanted.replace("24 objects", with: "23 objects") }
      #expect(normalized(output) == normalized(wanted), "\(command): \(output)")
    }
  }

  /// Returns the text with commit ids, run ids and times replaced, which differ in each run.
  private func normalized(_ text: String) -> String {
    text.replacing(/\b[0-9a-f]{10}\b|\brun [0-9a-f]{8}\b/, with: "#")
      .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "#")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
