import ArgumentParser
import Cairn

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what is not committed or not pushed.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn status"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let status = try globals.dataset().status()
    Console.print(globals, rendered(status)) { print(status) }
  }

  private func rendered(_ status: DatasetStatus) -> JSON {
    var object: JSONObject = [
      "branch": JSON(status.branch),
      "changes": .array(
        status.working.changes.map {
          ["change": .string($0.kind.rawValue), "path": .string($0.path.description)]
        }),
      "classes": JSON(status.classes), "commit": JSON(status.commit),
      "labels": JSON(status.labels), "name": .string(status.name),
      "operation": status.operation?.rendered ?? .null, "photos": JSON(status.photos),
      "pins": JSON(status.pins), "problems": .array(status.working.problems.map(\.rendered)),
    ]
    if let exchange = status.exchange {
      object["ahead"] = JSON(exchange.ahead)
      object["behind"] = JSON(exchange.behind)
      object["remote"] = .string(exchange.remote)
    }
    return .object(object)
  }

  private func print(_ status: DatasetStatus) {
    let counts: [DocumentKind: Int] = [
      .photo: status.photos, .label: status.labels, .pin: status.pins, .class: status.classes,
    ]
    Console.print(
      "\(Style.bold(Console.printable(status.name))) on \(status.head): \(counts.text)")
    status.operation?.print()
    if let exchange = status.exchange {
      let parts = [
        exchange.ahead > 0 ? "\(count(exchange.ahead, "commit")) to push" : nil,
        exchange.behind > 0 ? "\(count(exchange.behind, "commit")) to join" : nil,
      ].compactMap { $0 }
      Console.print(
        parts.isEmpty
          ? "Level with \(exchange.remote) as of the last exchange."
          : "\(exchange.remote): \(parts.joined(separator: ", ")).")
    }
    let changes = status.working.changes
    if changes.isEmpty {
      if status.operation == nil { Console.print("Nothing to commit.") }
    } else {
      Console.print("To commit: \(ChangeSummary(changes).text).")
      let shown = 20
      let documents = changes.filter { $0.path.kind != nil }
      for change in documents.prefix(shown) {
        Console.print("  \(change.kind.rawValue) \(Console.printable(change.path.description))")
      }
      if documents.count > shown { Console.print("  … and \(documents.count - shown) more") }
    }
    status.working.problems
      .filter { status.operation == nil || $0.reason != .conflict }
      .print(first: 50, all: "cairn status --json")
  }
}

extension DatasetStatus {
  /// The branch, or in its place the commit, that is checked out.
  fileprivate var head: String { branch ?? commit.map { "commit \($0.prefix(10))" } ?? "no branch" }
}

extension InterruptedGitOperation {
  fileprivate var rendered: JSON {
    [
      "abort": .string(abortCommand), "branch": JSON(branch),
      "documents": .array(documents.map { .string($0) }),
      "files": .array(files.map { .string($0) }), "kind": .string(kind.rawValue),
      "next": .array(nextCommands.map { .string($0) }),
    ]
  }

  fileprivate func print() {
    let conflicts = documents + files
    Console.print(
      Style.yellow(Console.printable(title)) + " is in progress"
        + (conflicts.isEmpty ? "." : ", with \(count(conflicts.count, "file")) in conflict:"))
    for path in conflicts { Console.print("  in conflict \(Console.printable(path))") }
    Console.print(Console.printable("\(nextSteps) `\(abortCommand)` gives it up."))
  }
}

struct CommitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit", abstract: "Record changes in the dataset's history.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn commit -m \"The north slope\""))

  @Option(name: .shortAndLong, help: "The commit message (default: a summary of the changes).")
  var message: String?
  @Flag(help: "Check every file for edits, and repair what other tools committed.")
  var all = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let result = try dataset.commit(message: message, everywhere: all)
    let news = try result.repairs.concluded.map { try dataset.news(of: $0) }
    Console.print(globals, result.rendered(news)) { result.print(news) }
    if !result.problems.isEmpty { throw ExitCode(1) }
  }
}

extension CommitResult {
  func print(_ concluded: PullSummary?) {
    repairs.print(concluded)
    if let commit {
      Console.print("\(commit.short) \(ChangeSummary(changes).text)")
    } else {
      Console.print("Nothing to commit.")
    }
    problems.print(all: "cairn status --json")
    if passedOver > 0 {
      Console.note(
        "only what cairn wrote was looked at among \(passedOver) files; --all looks at every one")
    }
  }
}

struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the history of the dataset, or of a photo.",
    discussion: HelpText.paragraphs(
      """
      A photo's history shows who labeled it and how, with current class names, and changes to its classes
      and runs.

      EXAMPLES
        cairn log -n 5
        cairn log 3fa9
      """))

  @Argument(help: "A photo.") var photo: String?
  @Option(name: [.customShort("n"), .long], help: "Maximum number of commits.") var limit: Int?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try photo.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
    var told = 0
    var entries: [JSON] = []
    if limit ?? 1 > 0 {
      try dataset.log(photo: id, countingDocuments: globals.json) { entry in
        told += 1
        if globals.json { entries.append(entry.rendered) } else { entry.print() }
        return limit.map { told < $0 } ?? true
      }
    }
    Console.print(globals, .array(entries)) {
      if told == 0 { Console.print("Nothing committed yet.") }
    }
  }
}

extension HistoryEntry {
  var rendered: JSON {
    [
      "author": .string(author), "changed": changed?.rendered ?? .null,
      "changes": .array(sentences.map { .string($0) }), "commit": .string(commit),
      "email": .string(email), "fields": .array(changes.flatMap(\.rendered)),
      "join": .bool(isJoin), "summary": .string(summary),
      "time": .string(UTCDate.text(milliseconds: time)),
    ]
  }

  func print() {
    let head = "\(Style.yellow(String(commit.prefix(10)))) \(localTime(milliseconds: time))"
    Console.print("\(head) \(Console.printable(author)): \(Console.printable(summary))")
    for sentence in sentences { Console.print("  " + Console.printable(sentence)) }
  }
}
