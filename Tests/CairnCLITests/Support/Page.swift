import Foundation
import TestSupport
import Testing

/// A page of the documentation, or a section of one.
struct Page {
  /// A code block.
  struct Block {
    /// The path, relative to the home directory, at which the reader is asked to save the block.
    let file: String?
    let language: String
    let text: String
  }

  let text: String

  /// - Parameter path: The path of the page, relative to the package.
  init(path: String) throws {
    text = try String(contentsOf: packageDirectory.appending(path: path), encoding: .utf8)
  }

  /// - Parameter name: The name of a how-to page in the documentation catalog.
  init(_ name: String) throws {
    try self.init(path: "Sources/Cairn/Documentation.docc/HowTo/\(name).md")
  }

  private init(text: String) { self.text = text }

  /// Returns the section with a heading, up to the next section.
  func section(_ heading: String) throws -> Page {
    let start = try #require(
      text.range(of: "\n## \(heading)\n"), "The page has no section “\(heading)”.")
    let rest = text[start.upperBound...]
    let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
    return Page(text: String(rest[..<end]))
  }

  /// The code blocks, in order.
  var blocks: [Block] {
    let pattern = /(?:Save this as `~\/([^`]+)`:\n\n)?```(\w+)\n(.*?)```/.dotMatchesNewlines()
    return text.matches(of: pattern).map { match in
      Block(
        file: match.output.1.map { String($0) }, language: String(match.output.2),
        text: String(match.output.3))
    }
  }

  /// Returns the code blocks in a language, in order.
  func code(in language: String) -> [String] {
    blocks.filter { $0.language == language }.map(\.text)
  }
}
