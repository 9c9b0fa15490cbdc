public import CairnDocument

/// The classes whose names begin with what was typed.
public struct ClassCompletion: Sendable {
  private struct Entry {
    /// What is put in: the display name, or the key where two classes have one name.
    let text: String
    let folded: String
    /// The key and the aliases, too.
    let otherNames: [String]
  }

  private let entries: [Entry]

  /// - Parameter classes: What each is called: its display name, its key, and its aliases.
  public init(_ classes: [(name: String, key: ClassKey, aliases: [String])]) {
    let byName = Dictionary(grouping: classes) { $0.name.lowercased() }
    entries = classes.map { name, key, aliases in
      let isUnique = byName[name.lowercased()]?.count == 1
      return Entry(
        text: isUnique ? name : key.text, folded: name.lowercased(),
        otherNames: [key.text] + aliases.map { $0.lowercased() })
    }.sorted { ($0.folded, $0.text) < ($1.folded, $1.text) }
  }

  /// Returns the names that `text` may become: those that begin with it, then those of which another
  /// name does, then those with a word that does; each sorted, each class once.
  public func candidates(_ text: String) -> [String] {
    let typed = text.lowercased()
    var ranked: [[String]] = [[], [], []]
    for entry in entries {
      if entry.folded.hasPrefix(typed) {
        ranked[0].append(entry.text)
      } else if entry.otherNames.contains(where: { $0.hasPrefix(typed) }) {
        ranked[1].append(entry.text)
      } else if entry.folded.split(separator: " ").contains(where: { $0.hasPrefix(typed) }) {
        ranked[2].append(entry.text)
      }
    }
    return ranked.flatMap { $0 }
  }
}
