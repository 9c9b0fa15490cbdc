import ArgumentParser
import Cairn

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Commit, pull and push; retry if someone else pushed first.",
    discussion: HelpText.paragraphs(
      """
      --find and --pin select the photos whose images are fetched; all documents are always fetched.

      EXAMPLES
        cairn sync
        cairn sync -m "The north slope"
        cairn sync --all                  with each remote, such as a server and a disk
      """))

  @OptionGroup var transfer: TransferArguments
  @Flag(help: "Sync with each remote; --json prints a list.") var all = false
  @OptionGroup var message: MessageOption
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if all, transfer.remote != nil { throw ValidationError("Give a remote or --all, not both.") }
  }

  func run() throws {
    let dataset = try globals.dataset()
    try transfer.checkSelection()
    try transfer.bandwidth.apply(to: dataset)
    let results = try all ? syncAll(dataset) : [result(dataset, transfer.remote)]
    let json = results.map(\.rendered)
    Console.print(globals, all ? .array(json) : json[0]) {
      for result in results { result.print(globals) }
    }
    for result in results { result.printFailure() }
    // The first error counts, and one that is not of the network before one that is.
    let failures = results.compactMap(\.failure)
    if let failure = failures.first(where: { $0.kind != .offline }) ?? failures.first {
      throw ExitCode(failure.kind.exitCode)
    }
    for pull in results.flatMap(\.report.pulls) {
      try pull.images.endIfFailed(globals, isRequested: transfer.requestsImages)
    }
    if results.contains(where: { !$0.report.committed.problems.isEmpty }) { throw ExitCode(1) }
  }

  /// Syncs with each remote, and again with those that lack what later ones brought.
  private func syncAll(_ dataset: Dataset) throws -> [SyncResult] {
    var results: [SyncResult] = []
    for remote in try dataset.remotes() { results.append(try result(dataset, remote.name)) }
    guard let last = results.last(where: { $0.failure == nil })?.report.push?.commit else {
      if results.isEmpty { results.append(try result(dataset, nil)) }
      return results
    }
    for (index, remote) in try dataset.remotes().enumerated() {
      guard let commit = results[index].report.push?.commit, commit != last else { continue }
      results[index] = try result(dataset, remote.name, after: results[index])
    }
    return results
  }

  private func result(
    _ dataset: Dataset, _ remote: String?, after earlier: SyncResult? = nil
  ) throws -> SyncResult {
    var report = try dataset.sync(remote, message: message.text, options: transfer.options)
    if report.failure == nil, !report.pulls.isEmpty,
      let selected = try transfer.fetchSelected(dataset)
    {
      report.pulls[report.pulls.count - 1].images = selected
    }
    if let earlier { report.pulls = earlier.report.pulls + report.pulls }
    return try SyncResult(
      report: report, committed: (earlier?.report ?? report).committed, in: dataset,
      remote: all ? remote : nil)
  }
}

/// The result of a sync with one remote.
private struct SyncResult {
  let report: SyncReport
  private let committed: CommitResult
  private let pulls: [(report: PullReport, summary: PullSummary)]
  private let finishedMerge: PullSummary?
  /// The remote's name, if it is one of several.
  private let remote: String?

  init(
    report: SyncReport, committed: CommitResult, in dataset: Dataset, remote: String?
  ) throws {
    (self.report, self.committed, self.remote) = (report, committed, remote)
    pulls = try report.pulls.map { ($0, try dataset.summary(of: $0)) }
    finishedMerge = try committed.repairs.finishedMerge.map { try dataset.summary(of: $0) }
  }

  /// The error of the exchange, of its own kind if the network is the cause.
  var failure: CairnError? {
    report.failure.map { failure in
      let error = CairnError(failure)
      return report.isOffline ? CairnError(.offline, error.message, hint: error.hint) : error
    }
  }

  var rendered: JSON {
    var object: JSONObject = [
      "commit": JSON((report.push?.commit ?? committed.commit)?.description),
      "committed": committed.rendered(finishedMerge),
      "error": failure?.rendered ?? .null,
      "pulls": .array(pulls.map { $0.report.rendered($0.summary, finishedMerge: nil) }),
      "push": report.push?.rendered ?? .null,
      "unreachable": JSON(report.isOffline ? failure?.message : nil),
    ]
    if let remote { object["remote"] = .string(remote) }
    return .object(object)
  }

  func print(_ globals: GlobalOptions) {
    committed.print(finishedMerge, globals)
    for (pull, summary) in pulls { pull.print(summary, finishedMerge: nil, globals) }
    report.push?.print(globals)
  }

  /// Prints why the exchange failed.
  func printFailure() {
    guard let failure else { return }
    Console.note(Console.printable(failure.message))
    if report.isOffline {
      let name = committed.commit.map { " as \($0.short)" } ?? ""
      return Console.hint(
        "Your changes are committed here\(name); the next `cairn sync` pushes them.")
    }
    let commit = committed.commit.map {
      "Your changes are committed here as \($0.short), but not pushed."
    }
    let hints = [failure.hint, commit].compactMap { $0 }
    if !hints.isEmpty { Console.hint(hints.joined(separator: " ")) }
  }
}
