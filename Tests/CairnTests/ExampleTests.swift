import Foundation
import Testing

@Suite("Examples in the documentation")
struct ExampleTests {
  private static let top = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The pages and sources with examples. The tests of the page “Use cairn from Swift” run its program.
  private static let files = [
    "README.md",
    "Sources/Cairn/Documentation.docc/Cairn.md", "Sources/Cairn/DatasetQueue.swift",
    "Sources/Cairn/Find/Dataset+Find.swift", "Sources/Cairn/Labels/Dataset+Labels.swift",
    "Sources/Cairn/Photos/Dataset+AddPhotos.swift", "Sources/Cairn/Review/ReviewSession.swift",
    "Sources/Cairn/Fetch/Dataset+Fetch.swift", "Sources/Cairn/Models/Dataset+Labelers.swift",
    "Sources/Cairn/Training/Dataset+Train.swift",
    "Sources/Cairn/Training/Dataset+TrainingWatch.swift",
    "Sources/Cairn/Training/Dataset+Uncertainty.swift", "Sources/CairnBase/NormalizedRect.swift",
    "Sources/CairnBase/Polygon.swift",
  ]

  @Test("are compiled as printed", arguments: files)
  func compiled(_ file: String) throws {
    let examples = try text("Tests/CairnTests/DocumentationExamples.swift")
    let blocks = try text(file).split(separator: "```swift\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }
    #expect(!blocks.isEmpty)
    for block in blocks {
      let lines = block.split(separator: "\n").map { line in
        let code = line.hasPrefix("///") ? line.dropFirst(3) : line[...]
        return code.trimmingCharacters(in: .whitespaces)
      }
      let code = lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
      let isThere = examples.contains(code + "\n")
      #expect(isThere, "\(block)")
    }
  }

  @Test("are compiled as printed on the page “Use cairn from Swift”")
  func swiftPage() throws {
    let page = try text("Sources/Cairn/Documentation.docc/HowTo/Swift.md")
    let block = try #require(
      page.components(separatedBy: "```swift\n").first { $0.hasPrefix("// Answer the questions") }?
        .components(separatedBy: "```").first)
    #expect(try text("Tests/CairnTests/DocumentationExamples.swift").contains(block))
  }

  @Test("covers every file with an example")
  func complete() throws {
    let sources = Self.top.appending(path: "Sources")
    let paths = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let path as String in paths where path.hasSuffix(".swift") {
      let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      if source.contains("/// ```swift") { #expect(Self.files.contains("Sources/" + path)) }
    }
  }

  /// Returns the lines of a file without indentation and empty lines.
  private func text(_ file: String) throws -> String {
    let text = try String(contentsOf: Self.top.appending(path: file), encoding: .utf8)
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && $0 != "///" }.joined(separator: "\n") + "\n"
  }
}
