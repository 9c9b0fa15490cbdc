import Foundation
import TestSupport
import Testing

@Suite("README and Getting started")
struct ReadmeTests {
  private let place: Place
  private let page: String
  /// What the page calls a photo, and what it is called here: another encoder makes other bytes.
  private let ids: [(shown: String, here: String)]

  init() throws {
    place = try Place()
    page = try Self.text("Sources/Cairn/Documentation.docc/GettingStarted.md")
    let package = Programs.package.path(percentEncoded: false)
    try #require(try place.run("ln", ["-s", package, "home/cairn"]).status == 0)
    try place.git("config", "--global", "user.email", "alice@example.org")
    let made = try place.run("home/cairn/Tests/Demo/photos", ["camera"])
    try #require(made.status == 0, "\(made.all)")
    try place.cairn("init", "laptop")
    let names = ["north-slope-1.png", "north-slope-2.png"]
    let added = try place.cairn(["photo", "add"] + names.map { "../camera/\($0)" }, in: "laptop")
    func id(of name: String, in text: String) throws -> String {
      let line = try #require(text.firstMatch(of: try Regex("added ([0-9a-f]{12}) \(name)")))
      return String(try #require(line.output[1].substring))
    }
    let text = page
    let whole = try names.map { (try id(of: $0, in: text), try id(of: $0, in: added.text)) }
    // Both as commands take them and as they show them.
    ids = whole + whole.map { (String($0.prefix(8)), String($1.prefix(8))) }
    try place.cairn("remote", "add", "origin", "../walk.git", "--create", in: "laptop")
    try place.cairn("sync", in: "laptop")
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Programs.package.appending(path: path), encoding: .utf8)
  }

  @Test("the quick start works as printed, in a home without an identity for git")
  func quickStart() throws {
    let readme = try Self.text("README.md")
    let pattern = /## Quick start\n.*?```sh\n(.*?)```/.dotMatchesNewlines()
    let block = try #require(readme.firstMatch(of: pattern)).output.1
    #expect(block.split(separator: "\n").count <= 12)
    let home = "\(place.root)/stranger"
    let package = Programs.package.path(percentEncoded: false)
    try #require(
      try place.run("sh", ["-c", "mkdir '\(home)'; ln -s '\(package)' '\(home)/cairn'"]).status == 0
    )
    let program = URL(filePath: try #require(Place.cairnProgram))
    let path = program.deletingLastPathComponent().path(percentEncoded: false)
    let output = try place.run(
      "sh", ["-ec", "PATH=\(path):$PATH\n! git config user.name\n\(block)"],
      environment: ["HOME": home])
    #expect(output.status == 0, "\(output.all)")
    #expect(output.text.contains("“Scots pine” is rejected: alice@example.org says absent."))
    #expect(output.text.contains("Cloned “walk” into \(home)/second-device"))
  }

  @Test("a model predicts, is corrected, predicts again and stays corrected, as the page shows it")
  func model() throws {
    let blocks = page.matches(of: /```console\n(.*?)```/.dotMatchesNewlines()).map(\.output.1)
    let block = try #require(blocks.first { $0.contains("cairn labeler add ground") })
    let program = try #require(Place.cairnProgram)
    let directory = URL(filePath: program).deletingLastPathComponent().path(percentEncoded: false)
    let steps = block.split(separator: "$ cairn ")
    #expect(steps.count == 7)
    for step in steps {
      var (command, wanted) = (
        "cairn " + step.prefix { $0 != "\n" }, String(step.drop { $0 != "\n" })
      )
      for id in ids {
        command = command.replacing(id.shown, with: id.here)
        wanted = wanted.replacing(id.shown, with: id.here)
      }
      let output = try place.run(
        "sh", ["-c", "PATH=\(directory):$PATH; \(command)"], in: "laptop")
      #expect(
        output.status == 0 && lasting(output.text) == lasting(wanted), "\(command): \(output.all)")
    }
  }

  /// Returns what is the same each time: names of commits and runs, and times, are not.
  private func lasting(_ text: String) -> String {
    text.replacing(/\b[0-9a-f]{10}\b|\brun [0-9a-f]{8}\b/, with: "#")
      .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "#")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
