package import CairnDocument

/// The class that a name refers to.
package enum ClassMatch: Equatable, Sendable {
  /// A class of the dataset, with aliases followed.
  case existing(ClassKey)
  /// No class has the name; a class created with it would have this key.
  case new(ClassKey)
  /// Several classes have the name; sorted by key.
  case ambiguous([ClassKey])
}

extension ClassTable {
  /// Returns the class that a name refers to; nil if it cannot be the name of a class.
  ///
  /// A name refers to
  /// 1. the class whose key it is, or that was created with it, so that names that people have
  ///    learned stay valid after a rename or a merge. This includes removed classes, whose key can
  ///    belong to no other class, and ``CairnDocument/ClassKey/favorite``, which has no document.
  /// 2. the class with this display name, without removed classes.
  ///
  /// Names are compared by the keys that they would create: case, Unicode normalization and the
  /// kind of space between words make no difference. An alias stands for the class that it leads
  /// to, so two aliases of one class are not ambiguous.
  package func resolve(_ name: String) -> ClassMatch? {
    guard let own = ClassKey(naming: name) else { return nil }
    if own == .favorite { return .existing(own) }
    if let key = exactKey(of: name) { return .existing(canonicalKey(of: key)) }
    let keys = Set(classes(named: name).map { canonicalKey(of: $0.key) }).sorted()
    switch keys.count {
    case 0: return .new(own)
    case 1: return .existing(keys[0])
    default: return .ambiguous(keys)
    }
  }

  /// Returns the key of the class or alias that a name is the key of, or that was created with it.
  package func exactKey(of name: String) -> ClassKey? {
    ClassTable.exactKeys(of: name).first { self[$0] != nil }
  }

  /// Returns the keys that a name stands for whatever the display names of classes are, the first
  /// preferred.
  package static func exactKeys(of name: String) -> [ClassKey] {
    let keys = [ClassKey(name), ClassKey(naming: name)].compactMap { $0 }
    return keys.count == 2 && keys[0] == keys[1] ? [keys[0]] : keys
  }

  /// Returns the classes and aliases with a display name, without removed ones.
  package func classes(named name: String) -> [LabelClass] {
    guard let key = ClassKey(naming: name) else { return [] }
    if let keysByName { return (keysByName[key] ?? []).compactMap { self[$0] } }
    return all.filter { !$0.removed.value && ClassKey(naming: $0.name.value) == key }
  }
}
