public import CairnDocument

/// The classes of a dataset: which keys are names of one class, and which classes exclude each other.
public struct ClassTable: Equatable, Sendable {
  private let classes: [ClassKey: LabelClass]
  /// Only of keys that lead elsewhere.
  private let canonicalKeys: [ClassKey: ClassKey]

  public init(_ classes: some Sequence<LabelClass> = []) {
    let classes = Dictionary(classes.map { ($0.key, $0) }) { $1 }
    self.classes = classes
    var ends: [ClassKey: ClassKey] = [:]
    for key in classes.keys { ClassTable.follow(key, in: classes, &ends) }
    canonicalKeys = ends.filter { $0.key != $0.value }
  }

  /// Finds the key that the chain of aliases from `key` ends at, for all keys on the way. Where two
  /// devices made aliases of each other it ends in a ring: at the smallest key of the ring, so that
  /// all devices choose the same.
  private static func follow(
    _ key: ClassKey, in classes: [ClassKey: LabelClass], _ ends: inout [ClassKey: ClassKey]
  ) {
    var chain: [ClassKey] = []
    var places: [ClassKey: Int] = [:]
    var end = key
    while ends[end] == nil, places[end] == nil {
      places[end] = chain.count
      chain.append(end)
      guard let next = classes[end]?.aliasOf?.value else { break }
      end = next
    }
    let last = ends[end] ?? places[end].flatMap { chain[$0...].min() } ?? end
    for key in chain { ends[key] = last }
  }

  /// Returns the class that a label with this key is a label of.
  public func canonicalKey(of key: ClassKey) -> ClassKey { canonicalKeys[key] ?? key }

  /// Returns the exclusive set that a class, or what it is an alias of, belongs to.
  public func set(of key: ClassKey) -> ClassKey? { self[canonicalKey(of: key)]?.set?.value }

  /// Returns the other keys that lead to a class, sorted.
  public func aliases(of key: ClassKey) -> [ClassKey] {
    canonicalKeys.filter { $0.value == key }.keys.sorted()
  }

  /// The class with exactly this key.
  public subscript(key: ClassKey) -> LabelClass? { classes[key] }

  /// What people call a class; its key where nobody has coined it.
  public func name(of key: ClassKey) -> String { self[key]?.name.value ?? key.text }
}
