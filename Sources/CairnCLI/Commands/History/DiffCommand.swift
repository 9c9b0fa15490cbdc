import ArgumentParser
import Cairn

struct Diff: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show the changes between two commits, or between a commit and the work tree.",
    discussion: HelpText.paragraphs(
      """
      Without arguments, shows uncommitted changes. Name commits as in git: HEAD~1, main,
      origin/main, or the first digits of an id. `--format markdown` prints the changes for a comment
      on a hosting site: short, and with every name as plain text. With --limit, changes to
      photos beyond this number are only counted.

      EXAMPLES
        cairn diff
        cairn diff HEAD~1
        cairn diff origin/main main --photo 3fa9
        cairn diff v1 v2 --stat
        cairn diff HEAD~1 HEAD --format markdown --limit 100
      """))

  @Argument(help: "A commit (default: the last one).") var from: String?
  @Argument(help: "A commit to compare with (default: the work tree).") var to: String?
  @Option(help: "Show only changes to this photo.") var photo: String?
  @Flag(help: "Print only the counts.") var stat = false
  @Option(help: "text or markdown.") var format = DiffFormat.text
  @OptionGroup var limit: LimitOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try photo.map { try photoID($0, in: dataset) }
    let limit = try limit.value() ?? .max
    if globals.json { return try printJSON(dataset, id, limit: limit) }
    if format == .markdown { return try printMarkdown(dataset, id, limit: limit) }
    var shown = 0
    let report = try dataset.diff(
      from, to, photo: id,
      stat
        ? nil
        : { group in
          if shown < limit { group.print() }
          shown += 1
        })
    report.problems.print(all: "cairn diff --json")
    Console.print(report.text)
  }

  func validate() throws {
    if globals.json, format == .markdown {
      throw ValidationError("Give --json or --format markdown, not both.")
    }
  }

  /// Prints the counts first, and then a table of the changes.
  private func printMarkdown(_ dataset: Dataset, _ photo: PhotoID?, limit: Int) throws {
    var markdown = DiffMarkdown(limit: stat ? 0 : limit)
    let report = try dataset.diff(from, to, photo: photo) { markdown.add($0) }
    Console.write(markdown.text(under: report.text, problems: report.problems.count))
  }

  /// Returns the id of a photo. A whole id is accepted as is: the photo may be only in one of the
  /// compared commits.
  private func photoID(_ text: String, in dataset: Dataset) throws -> PhotoID {
    try PhotoID(text) ?? dataset.photoID(text, relativeTo: currentDirectory())
  }

  /// Prints one JSON object, and each change as soon as it is found: there may be a million.
  private func printJSON(_ dataset: Dataset, _ photo: PhotoID?, limit: Int) throws {
    var (isEmpty, shown) = (true, 0)
    func write(_ text: String, isPartial: Bool = true) {
      Console.write(json: text, isPartial: isPartial)
    }
    let report = try dataset.diff(
      from, to, photo: photo,
      stat
        ? nil
        : { group in
          shown += 1
          if shown > limit { return }
          for object in group.changes.flatMap(\.rendered) {
            write((isEmpty ? "{\n  \"changes\": [\n    " : ",\n    ") + object.indented(by: 4))
            isEmpty = false
          }
        })
    let members = report.rendered.object?.members ?? []
    if isEmpty { write(stat ? "{\n" : "{\n  \"changes\": [],\n") }
    if !isEmpty { write("\n  ],\n") }
    write(members.map { "  \"\($0.key)\": \($0.value.indented(by: 2))" }.joined(separator: ",\n"))
    write("\n}\n", isPartial: false)
  }
}

extension JSON {
  /// Returns the canonical text, indented for use inside of a larger one.
  fileprivate func indented(by spaces: Int) -> String {
    canonicalText.split(separator: "\n")
      .joined(separator: "\n" + String(repeating: " ", count: spaces))
  }
}

extension DiffGroup {
  fileprivate func print() {
    if let photo {
      Console.print(
        "\(Style.bold("photo \(photo.short)"))" + (name.map { " " + Console.printable($0) } ?? ""))
      for change in changes { Diff.print(change) }
    } else {
      for change in changes {
        Console.print(Style.bold(Console.printable(change.subject)))
        Diff.print(change)
      }
    }
  }
}

extension Diff {
  fileprivate static func print(_ change: DocumentChange) {
    let style: Style =
      switch change.kind {
      case .added: .green
      case .modified: .yellow
      case .removed: .red
      }
    for text in change.texts { Console.print("  " + style(Console.printable(text))) }
  }
}

extension DiffReport {
  /// `Added 2 photos, 5 labels; modified 1 class. 2 photos differ.`
  fileprivate var text: String {
    if counts.isEmpty { return "No differences." }
    let parts = DocumentChange.Kind.allCases.compactMap { kind in
      counts[kind].map { "\(kind.rawValue) \($0.text)" }
    }
    let text = parts.joined(separator: "; ")
    return text.prefix(1).uppercased() + text.dropFirst()
      + (photos > 0 ? ". \(count(photos, "photo")) differ\(photos == 1 ? "s" : "")." : ".")
  }

  fileprivate var rendered: JSON {
    [
      "counts": .object(JSONObject(counts.map { ($0.key.rawValue, $0.value.rendered) })),
      "from": JSON(from), "photos": JSON(photos), "problems": .array(problems.map(\.rendered)),
      "to": JSON(to),
    ]
  }
}
