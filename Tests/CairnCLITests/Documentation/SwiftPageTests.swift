import Cairn
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Use cairn from Swift")
struct SwiftPageTests {
  @Test("shows the program that the tests compile")
  func source() throws {
    let page = try Page("Swift").section("Write the program")
    let program = try #require(page.code(in: "swift").first)
    let source = try Page(path: "Tests/CairnCLITests/Documentation/SwiftPageProgram.swift").text
    let lines = program.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    let opening = lines.prefix { !$0.hasPrefix("//") }
    let rest = lines.dropFirst(opening.count).map { $0.isEmpty ? "" : "    \($0)" }
    for line in opening where !line.isEmpty { #expect(source.contains(line), "\(line)") }
    #expect(source.contains(rest.joined(separator: "\n")))
  }

  @Test("shows the example of the queue that the documentation tests compile")
  func queue() throws {
    let page = try Page("Swift").section("Use a dataset from several tasks")
    let example = try #require(page.code(in: "swift").first)
    let source = try Page(path: "Sources/Cairn/DatasetQueue.swift").text.replacing("/// ", with: "")
    #expect(source.replacing("///\n", with: "\n").contains(example))
  }

  @Test("shows a manifest that fits the package")
  func manifest() throws {
    let page = try Page("Swift").section("Create a package")
    let shown = try #require(page.code(in: "swift").first)
    let manifest = try Page(path: "Package.swift").text
    for line in ["// swift-tools-version: 6.2", "platforms: [.macOS(.v15)]"] {
      #expect(shown.contains(line) && manifest.contains(line))
    }
    #expect(shown.contains(#".product(name: "Cairn", package: "cairn")"#))
    #expect(manifest.contains(#".library(name: "Cairn""#))
  }

  @Test("labels, searches and syncs")
  func run() throws {
    let alice = try EmptyHome(Sandbox(user: "Ann"), "alice")
    try alice.follow(Page(path: "README.md").section("Quick start"))
    // The identity, which this process does not read from that home directory.
    try alice.run("cd ~/walk; git config user.name Alice; git config user.email a@example.org")
    let dataset = try Dataset(at: FilePath(alice.path).appending("walk"))
    var printed: [String] = []
    try SwiftPageProgram.run(dataset) { printed.append($0) }
    #expect(printed.first == "Labeled 3 photos.")
    for photo in ["harbor-1.png", "harbor-2.png", "north-slope-2.png"] {
      #expect(printed.contains("\(photo): hillside is confirmed."))
      #expect(printed.contains("\(photo): heather is predicted."))
    }
    #expect(printed.last == "Committed 7 documents.")
    try alice.run("cairn verify --with origin -C ~/walk")
  }
}
