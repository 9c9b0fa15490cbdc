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

  /// A question that finds the same share of the photos in a dataset of any size, from the index
  /// database.
  func find(at dataset: URL) -> Command {
    self("find", "label:\(Generator.rareClass)", at: dataset)
  }

  /// One more label, and its commit.
  func label(_ photo: String, at dataset: URL) -> Command {
    self("label", photo, "holly", "--create", at: dataset)
  }

  func commit(at dataset: URL) -> Command { self("commit", at: dataset) }
}
