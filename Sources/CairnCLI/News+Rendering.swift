import Cairn

// What a pull brought, in sentences: who disagrees, what crossed, what was joined.

extension News {
  /// How many lines of a kind are shown; programs get them all.
  private static let shown = 20

  func print() {
    list(disagreements) { disagreement in
      let photo = News.photo(disagreement.photo, disagreement.name)
      return "\(Style.red("disputed")) \(Console.printable(disagreement.resolution.name)) on "
        + "\(photo): \(Console.printable(disagreement.resolution.because))"
    }
    list(crossings, \.sentence)
    list(joins.compactMap(\.sentence)) { $0 }
  }

  private func list<Item>(_ items: [Item], _ line: (Item) -> String) {
    for item in items.prefix(News.shown) { Console.print("  " + line(item)) }
    if items.count > News.shown { Console.print("  … and \(items.count - News.shown) more") }
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
      ("joinedChanges", .array(joins.flatMap(\.here.rendered))),
      ("outdone", .array(joins.flatMap { $0.outdone?.rendered ?? [] })),
      (
        "removedAndLabelled",
        .array(
          crossings.map {
            [
              "people": .array($0.people.map { .string($0.description) }),
              "photo": .string($0.photo.description),
              "removed": $0.isRemovedHere ? "here" : "there", "visible": .bool($0.isInView),
            ]
          })
      ),
    ]
  }
}

extension News.Join {
  /// Nil for a document that both sides changed to the same, but for the time.
  fileprivate var sentence: String? {
    let parts = [
      words(here).map { "\($0) (theirs is later)" },
      outdone.flatMap(words).map { "\($0) (ours is later)" },
    ].compactMap { $0 }
    return parts.isEmpty
      ? nil : "joined " + Console.printable("\(here.subject): \(parts.joined(separator: "; "))")
  }

  private func words(_ change: DocumentChange) -> String? {
    let told = change.statements.filter { statement in
      statement.fields.contains { !$0.name.hasSuffix("stamp") }
    }
    return told.isEmpty ? nil : told.map(\.text).joined(separator: "; ")
  }
}

extension News.Crossing {
  fileprivate var sentence: String {
    let who = people.map(\.identity).inWords
    let (here, there) = isRemovedHere ? ("here", "there") : ("there", "here")
    let end =
      isInView
      ? "it is back in view"
      : "it stays out of view; `cairn photo restore \(photo.short)` brings it back"
    return "\(News.photo(photo, name)) was removed \(here) and labelled \(there) by "
      + "\(Console.printable(who)): \(end)"
  }
}
