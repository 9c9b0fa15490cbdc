internal import CairnBase
internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnSync

/// A name that no class has, with similar class names. Programs ask for confirmation before
/// creating a class for a name that somebody typed.
public struct UnknownClass: Equatable, Sendable {
  /// The name as it was typed, without extra white space.
  public let name: String
  /// Names of existing classes, most similar first; at most 3.
  public let suggestions: [String]
}

extension Dataset {
  /// Returns the names that would each create a class, in their order, each class once.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when one cannot be the name of a class.
  public func unknownClasses(among names: [String]) throws(CairnError) -> [UnknownClass] {
    try translating {
      var new: Set<ClassKey> = []
      return try names.compactMap { name -> UnknownClass? in
        switch try classMatch(name) {
        case .existing?: return nil
        case .new(let key)?:
          guard new.insert(key).inserted else { return nil }
          return UnknownClass(
            name: ClassKey.displayName(name) ?? name, suggestions: try similarClasses(to: name))
        case .ambiguous(let keys)?: throw CairnError.ambiguousClass(name, keys)
        case nil: throw CairnError.notAName(name)
        }
      }
    }
  }

  /// Returns whether new names create classes without confirmation, as set by `cairn.createClasses`
  /// in git's configuration.
  public func createsClasses() throws(CairnError) -> Bool {
    try translating { try replica.repository.flag("cairn.createClasses", default: false) }
  }

  /// Returns the names of up to 3 classes most similar to a name, by display name, key or alias; at
  /// most one edit for every three letters, and at most two.
  ///
  /// - Parameter index: The index, if the caller is already reading it.
  func similarClasses(to name: String, in index: IndexReader? = nil) throws -> [String] {
    let classes = try (index?.classes() ?? query { try $0.classes() })
      .filter { !$0.removed.value && $0.key != .favorite }
    let table = ClassTable(classes)
    let folded = name.foldedClassName
    let limit = min(2, folded.count / 3)
    let uses = Dictionary(grouping: classes, by: \.name.value.foldedClassName).mapValues(\.count)
    var nearest: [ClassKey: (distance: Int, name: String)] = [:]
    // Compare a class's display name before its aliases.
    for labelClass in classes.sorted(by: { a, b in a.aliasOf == nil && b.aliasOf != nil }) {
      let canonical = table.canonicalKey(of: labelClass.key)
      for other in [labelClass.name.value, labelClass.key.text] {
        let distance = editDistance(other.foldedClassName, folded)
        guard distance <= limit, distance < nearest[canonical]?.distance ?? .max else { continue }
        let isUnique = uses[other.foldedClassName] ?? 1 == 1
        nearest[canonical] = (distance, isUnique ? other : labelClass.key.text)
      }
    }
    return nearest.values.sorted { $0 < $1 }.prefix(3).map(\.name)
  }
}

extension String {
  /// The class name without common variations: case, and separators between words.
  fileprivate var foldedClassName: String {
    lowercased().split { $0 == " " || $0 == "-" || $0 == "_" }.joined(separator: " ")
  }
}
