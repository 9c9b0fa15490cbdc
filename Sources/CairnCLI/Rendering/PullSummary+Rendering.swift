import Cairn
import CairnBase

// The summary of a pull: disagreements, photos removed and labeled, and merged documents.

extension PullSummary {
  /// The maximum number of lines of a kind; `--json` prints them all.
  private static let shown = 20

  func print() {
    list(disagreements) { disagreement in
      let photo = PullSummary.photo(disagreement.photo, disagreement.name)
      return "\(Style.red("disputed")) \(Console.printable(disagreement.resolution.name)) on "
        + "\(photo): \(Console.printable(disagreement.resolution.reason.text))"
    }
    list(removals, \.sentence)
    list(removedAndLabeled, \.sentence)
    list(mergedDocuments.compactMap(\.text)) { "merged " + Console.printable($0) }
  }

  private func list<Item>(_ items: [Item], _ line: (Item) -> String) {
    for item in items.prefix(PullSummary.shown) { Console.print("  " + line(item)) }
    if items.count > PullSummary.shown {
      Console.print("  … and \(items.count - PullSummary.shown) more")
    }
  }

  fileprivate static func photo(_ id: PhotoID, _ name: String) -> String {
    id.short + (name.isEmpty ? "" : " (\(Console.printable(name)))")
  }

  var rendered: [(String, JSON)] {
    [
      (
        "disagreements",
        .array(
          disagreements.map {
            var object = $0.resolution.rendered.object ?? [:]
            object["photo"] = .string($0.photo.description)
            return .object(object)
          })
      ),
      ("mergedChanges", .array(mergedDocuments.flatMap(\.here.rendered))),
      ("overridden", .array(mergedDocuments.flatMap { $0.overridden?.rendered ?? [] })),
      (
        "removals",
        .array(
          removals.map {
            [
              "author": .string($0.author), "commit": .string($0.commit),
              "photos": .array($0.photos.map { .string($0.photo.description) }),
              "summary": .string($0.summary),
            ]
          })
      ),
      (
        "removedAndLabeled",
        .array(
          removedAndLabeled.map {
            [
              "people": .array($0.people.map { .string($0.description) }),
              "photo": .string($0.photo.description),
              "removed": $0.isRemovedHere ? "here" : "there", "visible": .bool($0.isVisible),
            ]
          })
      ),
    ]
  }
}

extension PullSummary.RemovedAndLabeled {
  fileprivate var sentence: String {
    let who = people.map(\.identity).formattedList
    let (here, there) = isRemovedHere ? ("here", "there") : ("there", "here")
    let end =
      isVisible
      ? "it is visible again"
      : "it stays hidden; `cairn photo restore \(photo.short)` restores it"
    return "\(PullSummary.photo(photo, name)) was removed \(here) and labeled \(there) by "
      + "\(Console.printable(who)): \(end)"
  }
}

extension PullSummary.Removal {
  fileprivate var sentence: String {
    let id = commit.prefix(10)
    return Console.printable(
      "\(author) removed \(count(photos.count, "photo")) in \(id) (“\(summary)”)")
      + ": `git revert \(id)` restores \(photos.count == 1 ? "it" : "them")"
  }
}
