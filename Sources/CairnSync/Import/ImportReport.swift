public import CairnDocument
public import CairnGit

/// The options of an import.
public struct ImportOptions: Sendable {
  /// Whether to leave out invalid lines; otherwise a single one prevents the import.
  public var skipsInvalid = false
  /// Whether to only report what would be done.
  public var isDryRun = false
  /// The commit message; nil for a summary.
  public var message: String?
  /// The names of classes that labels name by key and that the import may have to create.
  package var classNames: [ClassKey: String] = [:]

  /// Creates options that import all documents, or none if one is invalid.
  public init() {}
}

/// The result of an import, or of a dry run.
public struct ImportReport: Sendable {
  /// An invalid line, with the reason.
  public struct Problem: Equatable, Sendable {
    /// Counted from 1.
    public let line: Int
    /// What is wrong, as a phrase.
    public let message: String
  }

  /// The number of documents of each kind that are new.
  public internal(set) var added: [DocumentKind: Int] = [:]
  /// The number of documents of each kind that were changed.
  public internal(set) var changed: [DocumentKind: Int] = [:]
  /// The number of lines that added nothing to the dataset.
  public internal(set) var known = 0
  /// Classes that labels name and that the import created.
  public internal(set) var created: [ClassKey] = []
  /// The number of lines with manifests, which are not imported.
  public internal(set) var manifests = 0
  /// The number of images on this disk that the dataset did not refer to before.
  public internal(set) var images = 0
  /// Lines whose stamp is so far in the future that somebody's clock must be wrong.
  public internal(set) var future: [Int] = []
  /// The first invalid lines, by number.
  public internal(set) var problems: [Problem] = []
  /// The number of all problems.
  public internal(set) var problemCount = 0
  /// The new commit; nil when nothing was committed.
  public internal(set) var commit: ObjectID?
  /// Whether `onDocuments` received exactly what the commit changes.
  package internal(set) var reportedAllDocuments = true
  /// The commit of the changes that were uncommitted before the import.
  public internal(set) var before: CommitResult?
  /// The files that were written to the work tree.
  public internal(set) var checkout = CheckoutReport()

  /// The maximum number of lines in a list: all lines of a file may be invalid.
  package static let listLimit = 100

  mutating func note(_ message: String, line: Int) {
    problemCount += 1
    // Some early lines are found to be invalid only at the end.
    let index = problems.firstIndex { $0.line > line } ?? problems.count
    problems.insert(Problem(line: line, message: message), at: index)
    if problems.count > ImportReport.listLimit { problems.removeLast() }
  }

  mutating func noteFuture(line: Int) {
    if future.count < ImportReport.listLimit { future.append(line) }
  }
}
