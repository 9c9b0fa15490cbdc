import Foundation
import TestSupport
import Testing

/// A home directory in which nothing is configured, as on a new computer. cairn's repository is at
/// `~/cairn`, as the pages of the documentation expect.
struct EmptyHome {
  let path: String
  private let box: Sandbox
  private let hasCairn: Bool

  /// - Parameter name: The name of the directory, in the root of `box`.
  /// - Parameter hasCairn: Whether programs find `cairn`.
  init(_ box: Sandbox, _ name: String, hasCairn: Bool = true) throws {
    (self.box, self.hasCairn) = (box, hasCairn)
    path = "\(box.root)/\(name)"
    let package = packageDirectory.path(percentEncoded: false)
    let made = try box.run("sh", ["-ec", "mkdir '\(path)'; ln -s '\(package)' '\(path)/cairn'"])
    try #require(made.status == 0, "\(made.all)")
    try run("! git config user.name")
  }

  /// Runs lines of shell in the home directory, as if typed there, and returns their output.
  ///
  /// Every line must succeed.
  @discardableResult
  func run(_ lines: String, location: SourceLocation = #_sourceLocation) throws -> String {
    let output = try command(lines).run()
    try #require(output.status == 0, "\(lines)\n\(output.all)", sourceLocation: location)
    return output.stdout
  }

  /// Starts lines of shell in the home directory, as if typed there.
  func start(_ lines: String) throws -> RunningCommand { try command(lines).start() }

  private func command(_ lines: String) throws -> Command {
    var programs = ""
    if hasCairn {
      let cairn = try #require(Programs.cairn)
      programs = cairn.deletingLastPathComponent().path(percentEncoded: false) + ":"
    }
    return box.command(
      "sh", ["-ec", "PATH='\(programs)'$PATH\ncd\n\(lines)"], environment: ["HOME": path])
  }

  /// Saves the files of a page and runs its shell blocks, in order.
  ///
  /// - Parameter replacements: Paths and URLs on the page, with those that replace them here.
  func follow(
    _ page: Page, replacing replacements: [String: String] = [:],
    location: SourceLocation = #_sourceLocation
  ) throws {
    for block in page.blocks {
      if let file = block.file {
        let url = URL(filePath: path).appending(path: file)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(block.text.utf8).write(to: url)
      } else if block.language == "sh" {
        var lines = block.text
        for (shown, here) in replacements { lines = lines.replacing(shown, with: here) }
        try run(lines, location: location)
      }
    }
  }
}
