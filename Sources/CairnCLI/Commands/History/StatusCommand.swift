import ArgumentParser
import Cairn

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what is not committed or not pushed.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn status"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let status = try dataset.status()
    var remotes: [RemoteState] = []
    do {
      remotes = try dataset.remoteStates()
    } catch {
      // Without a valid `.lfsconfig`, the rest is still known.
      Console.note("The remotes are not shown. \(error.message)")
    }
    Console.print(globals, rendered(status, remotes)) { print(status, remotes) }
  }

  private func rendered(_ status: DatasetStatus, _ remotes: [RemoteState]) -> JSON {
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
      "remotes": .array(
        remotes.map {
          [
            "ahead": $0.upstream.map { JSON($0.ahead) } ?? .null,
            "behind": $0.upstream.map { JSON($0.behind) } ?? .null,
            "name": .string($0.remote.name), "url": .string($0.remote.address),
          ]
        }),
    ]
    if let upstream = status.upstream {
      object["ahead"] = JSON(upstream.ahead)
      object["behind"] = JSON(upstream.behind)
      object["remote"] = .string(upstream.remote)
    }
    return .object(object)
  }

  private func print(_ status: DatasetStatus, _ remotes: [RemoteState]) {
    let counts: [DocumentKind: Int] = [
      .photo: status.photos, .label: status.labels, .pin: status.pins, .class: status.classes,
    ]
    Console.print(
      "\(Style.bold(Console.printable(status.name))) on \(status.head): \(counts.text)")
    status.operation?.print()
    if remotes.isEmpty { status.upstream?.print() }
    for state in remotes {
      if let upstream = state.upstream {
        upstream.print()
      } else if let branch = status.branch {
        Console.print(
          "\(state.remote.name): the branch \(Console.printable(branch)) was not exchanged yet.")
      }
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
      .filter { status.operation == nil || $0.kind != .conflict }
      .print(first: 50, all: "cairn status --json")
  }
}

extension UpstreamStatus {
  fileprivate func print() {
    Console.print(
      ahead + behind == 0
        ? "Up to date with \(remote) as of the last fetch or push." : "\(remote): \(text).")
  }
}

extension DatasetStatus {
  /// The branch that is checked out, or the commit if HEAD is detached.
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
    Console.print(Console.printable("\(nextSteps) `\(abortCommand)` aborts it."))
  }
}
