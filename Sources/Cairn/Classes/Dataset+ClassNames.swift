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
      if !followingAliases, let key = try exactKey(name) { return key }
      return try existingClassKey(named: name)
    }
  }

  /// Returns the keys of the classes with these names; creates those that do not exist.
  func classKeys(creating names: [String], session: EditSession) throws -> [ClassKey] {
    try names.map { name in
      try classKey(creating: name, known: knownClassKey(named: name), session: session)
    }
  }

  /// Creates the class with the given name, unless it exists.
  ///
  /// - Parameter known: The key of the existing class with this name.
  func classKey(
    creating name: String, known: ClassKey?, session: EditSession, durable: Bool = true
  ) throws -> ClassKey {
    if let known {
      // An alias may lead to a class that has no document yet. The favorite class is not a class
      // that people edit, so it gets none.
      if try known != .favorite && replica.document(at: .class(known)) == nil {
        let labelClass = LabelClass(key: known, name: known.text)
        try session.write([.class(labelClass)], durable: durable)
      }
      return known
    }
    guard let display = ClassKey.displayName(name), let key = ClassKey(naming: name) else {
      throw CairnError.notAName(name)
    }
    let labelClass = LabelClass(key: key, name: display)
    try session.write([.class(labelClass)], durable: durable)
    return key
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
    try knownClassKey(named: name) { name in
      try index?.classes(named: name) ?? query { try $0.classes(named: name) }
    }
  }

  /// - Parameter classes: Returns the classes whose display names match a name.
  func knownClassKey(
    named name: String, among classes: (String) throws -> [LabelClass]
  ) throws -> ClassKey? {
    if ClassKey(naming: name) == .favorite { return .favorite }
    if let key = try exactKey(name) { return try canonicalKey(of: key) }
    let keys = try Set(classes(name).map { try canonicalKey(of: $0.key) }).sorted()
    if keys.count > 1 {
      let list = keys.prefix(5).map(\.text).joined(separator: ", ")
      throw CairnError(
        .ambiguous, "“\(name)” matches \(keys.count) classes: \(list).",
        hint: "Use the key of one.")
    }
    return keys.first
  }

  /// Returns the key that `name` is or was created under; nil if no class has it.
  private func exactKey(_ name: String) throws -> ClassKey? {
    try [ClassKey(name), ClassKey(naming: name)].compactMap { $0 }.first {
      try replica.document(at: .class($0)) != nil
    }
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

  static func notAName(_ name: String) -> CairnError {
    CairnError(
      .invalidInput, "“\(name)” cannot be the name of a class.",
      hint: "A name needs a visible character, in any script, in at most 256 bytes.")
  }
}
