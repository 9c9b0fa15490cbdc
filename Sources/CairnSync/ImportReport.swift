public import CairnDocument
public import CairnGit

/// How to import documents.
public struct ImportOptions {
  /// Whether lines that are wrong are left out; else nothing is imported when one is.
  public var skipsInvalid = false
  /// Only say what would be done.
  public var isRehearsal = false
  /// Nil for a summary.
  public var message: String?
  /// Called with what is being done, how much of it is done, and how much there is, 0 when unknown.
  public var progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in
  }
  /// Called with documents as they will stand, a document again when a later line changes it.
  public var onDocuments: (([Document]) -> Void)?

  public init() {}
}

/// What an import did, or would do.
public struct ImportReport: Sendable {
  /// A line that is no document, and why.
  public struct Problem: Equatable, Sendable {
    /// Counted from 1.
    public let line: Int
    public let message: String
  }

  /// The documents that are new, and those that were there and say more now, by kind.
  public internal(set) var added: [DocumentKind: Int] = [:]
  public internal(set) var changed: [DocumentKind: Int] = [:]
  /// How many lines said nothing that does not stand already.
  public internal(set) var known = 0
  /// Classes that labels name and nobody had coined.
  public internal(set) var coined: [ClassKey] = []
  /// How many lines were manifests, which are not imported.
  public internal(set) var manifests = 0
  /// Photos whose images are on this disk, and were not named by the dataset.
  public internal(set) var images = 0
  /// Lines whose stamp is so far in the future that somebody's clock must be wrong.
  public internal(set) var future: [Int] = []
  /// The first of the lines that are wrong, by number.
  public internal(set) var problems: [Problem] = []
  public internal(set) var problemCount = 0
  /// The new commit; nil when there was nothing to commit, or not to be.
  public internal(set) var commit: ObjectID?
  /// Whether ``ImportOptions/onDocuments`` was told all that the commit changes, and no more.
  public internal(set) var isToldWhole = true
  /// What was not committed before the import, and is now.
  public internal(set) var before: CommitResult?
  public internal(set) var checkout = CheckoutReport()

  /// How many lines are remembered in a list: a file may have nothing right in it.
  public static let listLimit = 100

  mutating func note(_ message: String, line: Int) {
    problemCount += 1
    // Some are found at the end that stand at the beginning.
    let place = problems.firstIndex { $0.line > line } ?? problems.count
    problems.insert(Problem(line: line, message: message), at: place)
    if problems.count > ImportReport.listLimit { problems.removeLast() }
  }

  mutating func noteFuture(line: Int) {
    if future.count < ImportReport.listLimit { future.append(line) }
  }
}
