import Foundation

/// The release build of `cairn`.
struct Cairn {
  let program: URL

  func callAsFunction(_ words: String..., at directory: URL) -> Command {
    var command = Command(program.path, at: directory)
    command.words += words
    return command
  }

  func importDocuments(_ file: URL, at dataset: URL) -> Command {
    self("import", "documents", file.path, at: dataset)
  }

  /// Returns a query that finds the same number of photos in a dataset of any size, answered from
  /// the index database.
  func find(at dataset: URL) -> Command {
    self("find", "label:\(Generator.rareClass)", at: dataset)
  }

  /// Returns a command that adds a label.
  func label(_ photo: String, at dataset: URL) -> Command {
    self("label", photo, "holly", "--create", at: dataset)
  }

  func commit(at dataset: URL) -> Command { self("commit", at: dataset) }
}
