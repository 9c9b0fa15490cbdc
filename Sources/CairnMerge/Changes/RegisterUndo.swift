package import CairnDocument

/// A document whose registers have the values that they had before an edit, with new stamps.
///
/// Undoing is an edit like any other: devices that know the edit learn that its values were
/// replaced. A register that was edited again since is left unchanged, and so are members without a
/// stamp, which cannot be replaced.
package struct RegisterUndo: Equatable, Sendable {
  /// The document; as it is now if there is nothing to undo.
  package private(set) var document: JSON
  /// The registers that were edited again since, as paths of keys joined by dots.
  package private(set) var kept: [String] = []

  /// - Parameters:
  ///   - before: The document before the edit; nil if the edit added it. Then it is marked as
  ///     removed or withdrawn.
  ///   - after: The document after the edit.
  ///   - now: The current document.
  ///   - earlier: Returns the register that an undo restored as `register`, under the name `name`;
  ///     `register` itself if none did.
  ///   - stamp: Returns a stamp later than the one given.
  package init(
    from before: JSON?, to after: JSON, in now: JSON,
    earlier: (_ name: String, _ register: JSON) -> JSON = { $1 }, stamp: (Stamp) -> Stamp
  ) {
    document = now
    let before = before ?? RegisterUndo.removed(after)
    document = undo(before, after, now, "", earlier, stamp)
  }

  /// The names of registers that mark a document as deleted.
  private static let marks = ["removed", "withdrawn"]

  private static func removed(_ document: JSON) -> JSON {
    guard var members = document.object else { return document }
    for mark in marks {
      guard var register = members[mark]?.object else { continue }
      register["value"] = true
      members[mark] = .object(register)
    }
    return .object(members)
  }

  private mutating func undo(
    _ before: JSON, _ after: JSON, _ now: JSON, _ prefix: String,
    _ earlier: (String, JSON) -> JSON, _ stamp: (Stamp) -> Stamp
  ) -> JSON {
    guard let new = after.object, var members = now.object else { return now }
    for (key, value) in new.members where before[key] != value {
      let name = prefix + key
      guard let current = members[key] else { continue }
      if value.register == nil {
        guard case .object = value else { continue }
        members[key] = undo(
          before[key] ?? .object(JSONObject()), value, current, name + ".", earlier, stamp)
      } else if earlier(name, current) != value {
        kept.append(name)
      } else if let last = current.register {
        var restored = before[key]?.object ?? ["value": .null]
        restored["stamp"] = .string(stamp(last).description)
        members[key] = .object(restored)
      }
    }
    // Undone without a trace, before any other device knew of it.
    for (key, old) in before.object?.members ?? []
    where after[key] == nil && members[key] == nil && old.object != nil {
      members[key] = old
    }
    return .object(members)
  }
}
