internal import CairnDocument

/// A mapping of people's addresses to one identity each, from git's `.mailmap`.
///
/// Source: gitmailmap(5), and git's mailmap.c for details that it leaves open.
package struct Mailmap: Equatable, Sendable {
  /// The replacement name and address; nil for a part that is unchanged.
  private struct Entry: Equatable {
    var name: String?
    var email: String?
  }

  /// The mapping of one address: in general, and for single names.
  private struct Person: Equatable {
    var entry = Entry()
    var byName: [String: Entry] = [:]
  }

  private var people: [String: Person] = [:]

  /// Parses the text of a `.mailmap`; lines without a mapping are skipped.
  package init(_ text: String = "") {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.first != 0x23 {
      var rest = Substring(line)
      guard let first = Mailmap.contact(&rest, emptyAddress: false) else { continue }
      let second = rest.isEmpty ? nil : Mailmap.contact(&rest, emptyAddress: true)
      let email = second?.email ?? first.email
      let entry = Entry(name: first.name, email: second == nil ? nil : first.email)
      add(entry, for: email, name: second?.name)
    }
  }

  private mutating func add(_ entry: Entry, for email: String, name: String?) {
    let key = Mailmap.folded(email)
    if let name {
      people[key, default: Person()].byName[Mailmap.folded(name)] = entry
    } else {
      // A later line adds to an earlier one: one may have the name, another the address.
      let old = people[key]?.entry
      people[key, default: Person()].entry = Entry(
        name: entry.name ?? old?.name, email: entry.email ?? old?.email)
    }
  }

  /// Parses `Name <address>` at the front of `text` and removes it.
  private static func contact(
    _ text: inout Substring, emptyAddress: Bool
  ) -> (name: String?, email: String)? {
    let bytes = text.utf8
    guard let open = bytes.firstIndex(of: UInt8(ascii: "<")),
      let close = bytes[open...].firstIndex(of: UInt8(ascii: ">")),
      emptyAddress || bytes.index(after: open) != close
    else { return nil }
    let name = String(Substring(bytes[..<open])).trimmingSpaces()
    let email = String(Substring(bytes[bytes.index(after: open)..<close]))
    text = Substring(bytes[bytes.index(after: close)...])
    return (name.isEmpty ? nil : name, email)
  }

  private static func folded(_ text: String) -> String { text.lowercased() }

  /// Returns the proper name and address for the identity in a commit.
  package func lookup(name: String, email: String) -> (name: String, email: String) {
    guard let person = people[Mailmap.folded(email)] else { return (name, email) }
    let entry = person.byName[Mailmap.folded(name)] ?? person.entry
    return (entry.name ?? name, entry.email ?? email)
  }

  /// Returns the proper address for an address without a name.
  ///
  /// Lines that also require a name apply if all of them agree.
  package func address(of email: String) -> String {
    guard let person = people[Mailmap.folded(email)] else { return email }
    if let proper = person.entry.email { return proper }
    if person.entry.name != nil { return email }
    let named = Set(person.byName.values.map { Mailmap.folded($0.email ?? email) })
    return named.count == 1 ? named.first ?? email : email
  }
}
