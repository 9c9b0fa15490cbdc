import Cairn

extension RedactionReport {
  /// Whether nothing was done, or is to do.
  var isEmpty: Bool { recorded.isEmpty && commits == 0 && documents == 0 }

  var members: [(String, JSON)] {
    [
      ("commits", JSON(commits)), ("documents", JSON(documents)),
      (
        "recorded",
        .array(
          recorded.map { subject in
            switch subject {
            case .photo(let id): .string(id.description)
            case .person(let id): .string(id.annotator.description)
            }
          })
      ),
    ]
  }

  /// ` in 12 document versions and 40 commits`.
  var counts: String {
    " in \(CairnCLI.count(documents, "document version")) and \(CairnCLI.count(commits, "commit"))"
  }

  /// Prints how many commits were rewritten, or what else was done.
  func print(_ globals: GlobalOptions) {
    if commits == 0 {
      return globals.print(
        documents > 0
          ? "Erased facts from \(CairnCLI.count(documents, "uncommitted document"))."
          : recorded.isEmpty
            ? "These facts were erased before." : "No version of a document had these facts.")
    }
    globals.print(
      "Rewrote \(CairnCLI.count(commits, "commit")): \(CairnCLI.count(documents, "document version")) "
        + "had erased facts.")
  }
}

extension Redaction {
  /// Who erased the facts, when and why, as JSON.
  var rendered: JSON {
    .object(
      JSONObject(
        facts.map { fact, record in
          (
            fact.rawValue,
            [
              "by": .string(record.value.by.description),
              "reason": .string(record.value.reason), "stamp": .string(record.stamp.description),
            ]
          )
        }))
  }

  /// `position erased from the history 2026-11-26 12:00 by alice@example.org: home address`.
  var lines: [String] {
    facts.sorted { $0.key.rawValue < $1.key.rawValue }.map { fact, record in
      "\(fact.rawValue) \(Style.yellow("erased")) from the history \(localTime(record.stamp)) by "
        + Console.printable("\(record.value.by.identity): \(record.value.reason)")
    }
  }
}
