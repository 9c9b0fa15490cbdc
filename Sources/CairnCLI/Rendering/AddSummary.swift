import Cairn

/// The counts of skipped files by type, most frequent first.
struct SkippedTypes {
  private let counts: [(type: String, count: Int)]

  init(_ types: [String]) {
    let groups = Dictionary(grouping: types) { $0 }.map { (type: $0.key, count: $0.value.count) }
    counts = groups.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
  }

  var total: Int { counts.reduce(0) { $0 + $1.count } }

  /// Such as “40 MP4, 12 TXT”.
  var text: String {
    counts.map { "\($0.count) \(Console.printable($0.type))" }.joined(separator: ", ")
  }

  var rendered: JSON {
    var object: JSONObject = [:]
    for (type, count) in counts { object[type] = JSON(count) }
    return .object(object)
  }
}

/// The summary of `cairn photo add`.
struct AddSummary {
  private let counts: [(name: String, text: String, count: Int)]
  private let types: SkippedTypes

  init(_ statuses: [AddedPhoto.Status], _ types: SkippedTypes) {
    self.types = types
    let rows: [(AddedPhoto.Status, String, String)] = [
      (.added, "added", "added"), (.known, "known", "already known"),
      (.similar, "similar", "skipped"), (.failed, "refused", "failed"),
    ]
    counts = rows.map { status, name, text in
      (name, text, statuses.count { $0 == status })
    }
  }

  /// For images only: “2 added, 1 already known.”
  var sentence: String {
    let parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.text)" }
    return parts.joined(separator: ", ") + "."
  }

  /// Prints a table: each result with its number of files, and the types of the skipped ones.
  ///
  /// What was refused or skipped is printed even if the command is quiet.
  func print(_ globals: GlobalOptions) {
    let width = "\(max(types.total, counts.map(\.count).max() ?? 0))".count
    func line(_ name: String, _ count: Int) -> String {
      let digits = "\(count)"
      return name + String(repeating: " ", count: 9 - name.count + width - digits.count) + digits
    }
    for row in counts where row.count > 0 || row.name == "added" {
      if row.name == "refused" {
        Console.print(line(row.name, row.count))
      } else {
        globals.print(line(row.name, row.count))
      }
    }
    Console.print("\(line("skipped", types.total))  \(types.text)")
  }
}
