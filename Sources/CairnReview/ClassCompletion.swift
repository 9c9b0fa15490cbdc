package import CairnDocument

/// Completes class names from their typed beginning.
package struct ClassCompletion: Sendable {
  private struct Entry {
    /// The completed text: the display name, or the key if two classes have the same name.
    let text: String
    let folded: String
    /// The key and the aliases.
    let otherNames: [String]
  }

  private let entries: [Entry]

  /// - Parameter classes: The display name, key and aliases of each class.
  package init(_ classes: [(name: String, key: ClassKey, aliases: [String])]) {
    let byName = Dictionary(grouping: classes) { $0.name.lowercased() }
    entries = classes.map { name, key, aliases in
      let isUnique = byName[name.lowercased()]?.count == 1
      return Entry(
        text: isUnique ? name : key.text, folded: name.lowercased(),
        otherNames: [key.text] + aliases.map { $0.lowercased() })
    }.sorted { ($0.folded, $0.text) < ($1.folded, $1.text) }
  }

  /// Returns the completions of `text`: first names that begin with it, then names of classes with
  /// a key or alias that begins with it, then names with a word that does; each group sorted, each
  /// class once.
  package func candidates(_ text: String) -> [String] {
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
