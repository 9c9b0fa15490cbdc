import Foundation

/// A program to run: its arguments, its directory, and the file that it reads from stdin.
struct Command {
  var words: [String]
  var directory: URL
  var input: URL?

  init(_ words: String..., at directory: URL, input: URL? = nil) {
    (self.words, self.directory, self.input) = (words, directory, input)
  }

  /// Returns the command with arguments added at the front.
  func prefixed(_ first: String...) -> Command {
    var command = self
    command.words = first + words
    return command
  }
}

/// A program failed.
struct CommandFailure: Error, CustomStringConvertible {
  var words: [String]
  var status: Int32
  var message: String

  var description: String {
    let command = words.map { ($0 as NSString).lastPathComponent }.joined(separator: " ")
    return "`\(command.prefix(120))` ended with \(status): \(message)"
  }
}
