import Foundation
import TestSupport
import Testing

@Suite("cairn diff --format markdown")
struct DiffMarkdownTests {
  @Test("lists the changes of each photo in a table, and counts what a limit leaves out")
  func table() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("commit", in: "a")
    for photo in photos { try box.cairn("label", photo, "oak", in: "a") }
    let text = try box.cairn("diff", "--format", "markdown", in: "a").stdout
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "**Added 3 labels, 1 class. 3 photos differ.**")
    #expect(lines[1...3] == ["", "| what | changes |", "|---|---|"])
    for photo in photos {
      let row = try #require(lines.first { $0.hasPrefix("| `\(photo.prefix(12))`") })
      #expect(row.hasSuffix("| ann@example.org labeled oak present |"))
    }
    #expect(text.contains("| class oak | created |"))
    let short = try box.cairn("diff", "--format", "markdown", "--limit", "1", in: "a").stdout
    #expect(short.contains("… and 3 more."))
    #expect(short.components(separatedBy: "labeled oak").count == 2)
    let counts = try box.cairn("diff", "--format", "markdown", "--stat", in: "a").stdout
    #expect(counts == "**Added 3 labels, 1 class. 3 photos differ.**\n")
    try box.cairn("commit", in: "a")
    #expect(
      try box.cairn("diff", "--format", "markdown", in: "a").stdout == "**No differences.**\n")
  }

  @Test("stays below the length that a site accepts, however much has changed")
  func length() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    // The longest text of a document.
    let title = String(repeating: "x|", count: 8192)
    try box.cairn("photo", "edit", photo, "--title", title, "--caption", title, in: "a")
    try box.cairn("label", photo, "oak", "--text", title, in: "a")
    try box.cairn("pin", "add", "1", "2", "--name", "Mill", in: "a")
    let text = try box.cairn("diff", "--format", "markdown", in: "a").stdout
    #expect(text.count < 65_000)
    #expect(text.contains("differ"))
  }

  static let hostile = [
    "<script>alert(1)</script>", "@everyone", "#1", "a|b", "**bold**", "[x](http://evil.example)",
    "`code`", "![i](u)", "www.evil.example", "a\\|b",
    "a|\u{301}b", "*\u{301}bold*\u{301}", "<\u{301}b>", "http:/\u{301}/evil.example",
  ]

  @Test(
    "shows names as plain text in a site's Markdown",
    .enabled(if: Programs.clients != nil, Programs.missingClients), arguments: hostile)
  func hostileNames(name: String) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("label", photo, "oak", "--text", name, in: "a")
    let text = try box.cairn("diff", "--format", "markdown", in: "a").stdout
    let script = """
      import json, sys
      from html.parser import HTMLParser
      from markdown_it import MarkdownIt
      class Page(HTMLParser):
          tags, cells, comments = [], [], 0
          def handle_starttag(self, tag, attributes):
              self.tags.append(tag)
              if tag == "td": self.cells.append("")
          def handle_data(self, data):
              if self.cells: self.cells[-1] += data
      page = Page()
      page.feed(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(sys.stdin.read()))
      print(json.dumps({"tags": sorted(set(page.tags)), "cells": page.cells}))
      """
    let output = try box.run(
      try #require(Programs.clients), ["-c", script], stdin: Data(text.utf8),
      environment: ["LC_ALL": "C.UTF-8"])
    try #require(output.status == 0, "\(output.stderr)")
    let page = try output.json()
    let plain: Set = ["code", "p", "strong", "table", "tbody", "td", "th", "thead", "tr"]
    #expect(Set(page["tags"].elements.map(\.string)).subtracting(plain).isEmpty, "\(text)")
    // The text between the comments, which prevent a mention or a link, is the name.
    let cells = page["cells"].elements.map(\.string)
    #expect(cells.contains { $0.contains(name) }, "\(cells)")
    for trigger in ["@everyone", "#1", "http://", "www."] { #expect(!text.contains(trigger)) }
  }
}
