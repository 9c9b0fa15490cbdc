import Foundation

/// A dataset of one size, and the copies of it on which work is measured.
final class Stage {
  let generator: Generator
  /// The requested number of documents; 0 for work without a dataset of documents.
  let documents: Int
  let place: URL
  let stopwatch: Stopwatch
  let report: Report
  let cairn: Cairn
  let git = Git()
  /// How often work is repeated; nil for its own pace.
  let runs: Int?
  /// True once `cairn checkout none` has succeeded.
  private(set) var isPartial = false
  private var base: URL?
  private var full: [String: URL] = [:]
  private var photosHandedOut = 0

  init(
    documents: Int, seed: UInt64, runs: Int?, place: URL, stopwatch: Stopwatch, cairn: Cairn,
    report: Report
  ) throws {
    (self.documents, self.place, self.runs) = (documents, place, runs)
    (self.stopwatch, self.cairn, self.report) = (stopwatch, cairn, report)
    generator = Generator(documents: documents, seed: seed)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  }

  var lines: URL { place.appending(path: "documents.ndjson") }
  var stream: URL { place.appending(path: "documents.fast-import") }

  /// Runs a command that is not measured.
  @discardableResult
  func output(_ command: Command) throws -> String { try stopwatch.output(command) }

  /// Returns a photo that no work has labeled yet.
  func nextPhoto() -> Int {
    photosHandedOut += 1
    return photosHandedOut * 7919 % generator.photos.count
  }

  /// A dataset with a pin and no other documents, in a sparse checkout. It has a document but no
  /// index database, so an import writes only its commit.
  lazy var seed = Result {
    report.say("writing \(generator.documentCount) documents")
    try generator.write(lines: lines, stream: stream)
    let seed = place.appending(path: "seed")
    try output(cairn("init", seed.path, "--name", "Bench", at: place))
    do {
      try output(cairn("checkout", "none", at: seed))
      isPartial = true
    } catch {
      report.note("The datasets are fully checked out, because \(error)", documents)
    }
    try output(cairn("pin", "add", "56.8", "5.0", "--name", "Start", at: seed))
    try output(cairn.commit(at: seed))
    return seed
  }

  /// Returns the dataset with all documents, which must not be changed.
  func baseDataset() throws -> URL {
    if let base { return base }
    let seed = try seed.get()
    report.say("importing the dataset")
    var dataset = try copy(seed, as: "base")
    do {
      try output(cairn.importDocuments(lines, at: dataset))
    } catch {
      report.note("The datasets were imported with git fast-import, because \(error)", documents)
      dataset = try copy(seed, as: "base")
      try fastImport(stream, into: dataset)
    }
    base = dataset
    return dataset
  }

  /// Larger datasets are not checked out as a whole: 2 million documents take 9 GB.
  private static let mostCheckedOut = 2_000_000

  /// Returns a copy of the dataset with every document in its work tree, for one contender: each
  /// would look again at each file that another wrote. Nil if the dataset is too large.
  func fullDataset(of contender: String) throws -> URL? {
    if let full = full[contender] { return full }
    guard documents <= Stage.mostCheckedOut else {
      report.note("Too large to check out all documents.", documents)
      return nil
    }
    let dataset = try copy(try baseDataset(), as: "full-\(contender)")
    report.say("checking out all documents for \(contender)")
    if isPartial {
      do {
        try output(cairn("checkout", "all", at: dataset))
      } catch {
        report.note(
          "All documents were checked out with git sparse-checkout, because \(error)", documents)
        try output(git("sparse-checkout", "disable", at: dataset))
      }
    }
    if contender == "git" { try removeHooks(of: dataset) }
    full[contender] = dataset
    return dataset
  }

  /// Removes the hooks that cairn installs for git-lfs: plain git has none.
  func removeHooks(of dataset: URL) throws { try remove(dataset.appending(path: ".git/hooks")) }

  /// Adds a commit to a dataset with `git fast-import` and updates git's index.
  func fastImport(_ stream: URL, into dataset: URL) throws {
    try output(git("fast-import", "--quiet", at: dataset, input: stream))
    try output(git("reset", "-q", "--hard", at: dataset))
  }
}
