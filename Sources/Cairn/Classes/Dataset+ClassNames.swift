internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore

// A class can be given by its key, its first name, its display name or an alias, so that names
// people have learned still work after a rename or a merge.

extension Dataset {
  /// Returns the key of the class with the given name.
  ///
  /// - Parameter followingAliases: Whether an alias stands for the class that it leads to.
  public func classKey(
    _ name: String, followingAliases: Bool = true
  ) throws(CairnError) -> ClassKey {
    try translating {
      try followingAliases
        ? existingClassKey(named: name) : ownClassKey(named: name) ?? existingClassKey(named: name)
    }
  }

  /// Returns the key of the class or alias with the given name; nil if there is none.
  private func ownClassKey(named name: String) throws -> ClassKey? {
    if let key = try ClassTable(exactClasses(of: name).values).exactKey(of: name) { return key }
    let named = try query { try $0.classes(named: name) }
    // A display name means a class rather than an alias.
    let classes = named.filter { $0.aliasOf?.value == nil }
    let keys = (classes.isEmpty ? named : classes).map(\.key)
    if keys.count > 1 { throw CairnError.ambiguousClass(name, keys) }
    return keys.first
  }

  /// Returns the key of a class to restore: the class or alias whose key or first name is `name`,
  /// otherwise the removed class with this display name.
  public func removedClassKey(_ name: String) throws(CairnError) -> ClassKey {
    try translating {
      if let key = try ClassTable(exactClasses(of: name).values).exactKey(of: name) { return key }
      guard let naming = ClassKey(naming: name) else { throw CairnError.notAName(name) }
      let keys = try query { try $0.classes() }.filter {
        $0.removed.value && ClassKey(naming: $0.name.value) == naming
      }.map(\.key)
      if keys.count > 1 { throw CairnError.ambiguousClass(name, keys) }
      return try keys.first ?? existingClassKey(named: name)
    }
  }

  /// Returns the keys of the classes with these names; creates those that do not exist.
  func classKeys(creating names: [String], session: EditSession) throws -> [ClassKey] {
    try names.map { try classKey(creating: $0, classMatch($0), session: session) }
  }

  /// Returns the key of the class that a name refers to; creates the class if it does not exist.
  ///
  /// - Parameter match: The class that the name refers to.
  func classKey(
    creating name: String, _ match: ClassMatch?, session: EditSession, durable: Bool = true
  ) throws -> ClassKey {
    switch match {
    case .existing(let key)?:
      // An alias may lead to a class that has no document yet. The favorite class is not a class
      // that people edit, so it gets none.
      if try key != .favorite && replica.document(at: .class(key)) == nil {
        let labelClass = LabelClass(key: key, name: key.text)
        try session.write([.class(labelClass)], durable: durable)
      }
      return key
    case .new(let key)?:
      let labelClass = LabelClass(key: key, name: ClassKey.displayName(name) ?? key.text)
      try session.write([.class(labelClass)], durable: durable)
      return key
    case .ambiguous(let keys)?: throw CairnError.ambiguousClass(name, keys)
    case nil: throw CairnError.notAName(name)
    }
  }

  /// - Parameter index: The index, if the caller is already reading it.
  func existingClassKey(named name: String, in index: IndexReader? = nil) throws -> ClassKey {
    guard let key = try knownClassKey(named: name, in: index) else {
      let unknown = UnknownClass(name: name, suggestions: try similarClasses(to: name, in: index))
      throw CairnError.noClass(unknown)
    }
    return key
  }

  /// Returns the key of the class with the given name; nil if there is none.
  ///
  /// - Parameter index: The index, if the caller is already reading it.
  func knownClassKey(named name: String, in index: IndexReader? = nil) throws -> ClassKey? {
    switch try classMatch(name, in: index) {
    case .existing(let key)?: return key
    case .ambiguous(let keys)?: throw CairnError.ambiguousClass(name, keys)
    case .new?, nil: return nil
    }
  }

  /// Returns the class that a name refers to; nil if it cannot be the name of a class.
  ///
  /// - Parameter index: The index, if the caller is already reading it.
  func classMatch(_ name: String, in index: IndexReader? = nil) throws -> ClassMatch? {
    try classMatch(name) {
      try index?.classes(named: name) ?? query { try $0.classes(named: name) }
    }
  }

  /// Reads only the classes that the name may refer to.
  ///
  /// - Parameter named: Returns the classes with the display name; called unless the name is a key.
  func classMatch(_ name: String, named: () throws -> [LabelClass]) throws -> ClassMatch? {
    var classes = try exactClasses(of: name)
    let match = ClassTable(classes.values).resolve(name)
    guard case .new? = match else { return match }
    for labelClass in try named() {
      classes[labelClass.key] = labelClass
      if let next = labelClass.aliasOf?.value { try readClasses(from: next, into: &classes) }
    }
    return ClassTable(classes.values).resolve(name)
  }

  /// Reads the class or alias whose key a name is or would create, and the classes that it leads to.
  private func exactClasses(of name: String) throws -> [ClassKey: LabelClass] {
    var classes: [ClassKey: LabelClass] = [:]
    for key in ClassTable.exactKeys(of: name) {
      guard case .class(let labelClass)? = try replica.document(at: .class(key)) else { continue }
      classes[key] = labelClass
      if let next = labelClass.aliasOf?.value { try readClasses(from: next, into: &classes) }
      break
    }
    return classes
  }

  /// Returns the canonical key of the class that a key refers to, reading only that class and the
  /// aliases on the way.
  func canonicalKey(of key: ClassKey) throws -> ClassKey {
    var classes: [ClassKey: LabelClass] = [:]
    try readClasses(from: key, into: &classes)
    return ClassTable(classes.values).canonicalKey(of: key)
  }

  /// Reads the class with this key, and the classes that its aliases lead to.
  func readClasses(from key: ClassKey, into classes: inout [ClassKey: LabelClass]) throws {
    var next: ClassKey? = key
    while let key = next, classes[key] == nil,
      case .class(let labelClass)? = try readableDocument(at: .class(key))
    {
      classes[key] = labelClass
      next = labelClass.aliasOf?.value
    }
  }
}

extension CairnError {
  static func noClass(_ unknown: UnknownClass) -> CairnError {
    let list = "`cairn class list` lists them."
    return CairnError(
      .notFound, unknown.sentence, hint: unknown.suggestion.map { "\($0) \(list)" } ?? list)
  }

  static func ambiguousClass(_ name: String, _ keys: [ClassKey]) -> CairnError {
    CairnError(
      .ambiguous, ClassMatch.ambiguity(of: name, keys) + ".", hint: "Use the key of one.")
  }

  static func notAName(_ name: String) -> CairnError {
    CairnError(
      .invalidInput, "“\(name)” cannot be the name of a class.",
      hint: "A name needs a visible character, in any script, in at most 256 bytes.")
  }
}

extension Dataset {
  /// Returns the key of the class with a name; creates the class if it does not exist.
  package func createClass(_ name: String) throws(CairnError) -> ClassKey {
    try edit("class") { try classKeys(creating: [name], session: $0)[0] }
  }
}
