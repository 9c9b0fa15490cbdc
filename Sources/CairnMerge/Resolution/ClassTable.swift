package import CairnDocument

/// The classes of a dataset, with their aliases and exclusive sets.
package struct ClassTable: Equatable, Sendable {
  private let classes: [ClassKey: LabelClass]
  /// Contains only keys that resolve to another key.
  private let canonicalKeys: [ClassKey: ClassKey]
  /// The classes with each display name, by the key that the name would create; nil if they are not
  /// indexed.
  let keysByName: [ClassKey: [ClassKey]]?

  /// - Parameter indexingNames: Whether to index display names, which pays off if many names are
  ///   resolved.
  package init(_ classes: some Sequence<LabelClass> = [], indexingNames: Bool = false) {
    let classes = Dictionary(classes.map { ($0.key, $0) }) { $1 }
    self.classes = classes
    var ends: [ClassKey: ClassKey] = [:]
    for key in classes.keys { ClassTable.follow(key, in: classes, &ends) }
    canonicalKeys = ends.filter { $0.key != $0.value }
    guard indexingNames else {
      keysByName = nil
      return
    }
    let named = classes.values.filter { !$0.removed.value }.compactMap { labelClass in
      ClassKey(naming: labelClass.name.value).map { ($0, labelClass.key) }
    }
    keysByName = Dictionary(grouping: named, by: \.0).mapValues { $0.map(\.1).sorted() }
  }

  /// Records the end of the alias chain from `key`, for all keys on the chain. If two devices made
  /// aliases of each other, the chain is a ring, and its end is the smallest key of the ring, so
  /// that all devices choose the same.
  private static func follow(
    _ key: ClassKey, in classes: [ClassKey: LabelClass], _ ends: inout [ClassKey: ClassKey]
  ) {
    var chain: [ClassKey] = []
    var positions: [ClassKey: Int] = [:]
    var end = key
    while ends[end] == nil, positions[end] == nil {
      positions[end] = chain.count
      chain.append(end)
      // Favorites are not a class: as an alias of it, a class would lose its labels.
      guard let next = classes[end]?.aliasOf?.value, next != .favorite else { break }
      end = next
    }
    let last = ends[end] ?? positions[end].flatMap { chain[$0...].min() } ?? end
    for key in chain { ends[key] = last }
  }

  /// Returns the class that a label with this key belongs to, with aliases followed.
  package func canonicalKey(of key: ClassKey) -> ClassKey { canonicalKeys[key] ?? key }

  /// Returns the exclusive set of a class, with aliases followed.
  package func set(of key: ClassKey) -> ClassKey? { self[canonicalKey(of: key)]?.set?.value }

  /// Returns the other keys that resolve to a class, sorted.
  package func aliases(of key: ClassKey) -> [ClassKey] {
    canonicalKeys.filter { $0.value == key }.keys.sorted()
  }

  /// All classes, in no particular order.
  package var all: some Collection<LabelClass> { classes.values }

  /// Returns the class with exactly this key.
  package subscript(key: ClassKey) -> LabelClass? { classes[key] }

  /// Returns the display name of a class; its key if the class does not exist.
  package func name(of key: ClassKey) -> String { self[key]?.name.value ?? key.text }
}
