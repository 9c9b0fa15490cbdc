internal import CairnDocument
package import CairnMerge

/// Completes class names from their typed beginning.
public struct ClassCompletion: Sendable {
  private struct Entry {
    /// The completed text: the display name, or the key if the name refers to another class too.
    let text: String
    let folded: String
    /// The key and the aliases.
    let otherNames: [String]
  }

  private let entries: [Entry]

  /// - Parameter table: The classes of the dataset, with an index of names.
  package init(_ table: ClassTable) {
    let classes = table.all.filter {
      !$0.removed.value && table.canonicalKey(of: $0.key) == $0.key && $0.key != .favorite
    }
    let byName = Dictionary(grouping: classes) { $0.name.value.lowercased() }
    entries = classes.map { labelClass in
      let (name, key) = (labelClass.name.value, labelClass.key)
      let isUnique = byName[name.lowercased()]?.count == 1
      let aliases = table.aliases(of: key).flatMap { [$0.text, table.name(of: $0).lowercased()] }
      return Entry(
        text: isUnique && table.resolve(name) == .existing(key) ? name : key.text,
        folded: name.lowercased(), otherNames: [key.text] + aliases)
    }.sorted { ($0.folded, $0.text) < ($1.folded, $1.text) }
  }

  /// Returns the completions of `text`: first names that begin with it, then names of classes with
  /// a key or alias that begins with it, then names with a word that does; each group sorted, each
  /// class once.
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
