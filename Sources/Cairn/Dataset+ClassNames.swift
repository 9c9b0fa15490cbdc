internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore

// A class is meant by its key, by the name it was first given, by the name people see, or by an
// alias; so that what was learnt by heart still works after a rename or a merge.

extension Dataset {
  /// Returns the key of the class that `name` means.
  ///
  /// - Parameter followingAliases: Whether an alias means the class that it leads to.
  public func classKey(
    _ name: String, followingAliases: Bool = true
  ) throws(CairnError) -> ClassKey {
    try translating {
      if !followingAliases, let key = try exactKey(name) { return key }
      return try existingClassKey(named: name)
    }
  }

  /// Returns the keys of the classes that are called by these names; adds those that there are not.
  func classKeys(coining names: [String], session: EditSession) throws -> [ClassKey] {
    try names.map { name in
      try classKey(coining: name, known: knownClassKey(named: name), session: session)
    }
  }

  /// Adds the class that is called by a name, unless there is one.
  ///
  /// - Parameter known: The key of the class that the name means.
  func classKey(
    coining name: String, known: ClassKey?, session: EditSession, durable: Bool = true
  ) throws -> ClassKey {
    if let known {
      // An alias may lead to a class that nobody has coined yet; a favourite is of no class that people
      // work on.
      if try known != .favorite && replica.document(at: .class(known)) == nil {
        let labelClass = LabelClass(key: known, name: known.text, stamp: session.stamp())
        try session.write([.class(labelClass)], durable: durable)
      }
      return known
    }
    guard let display = ClassKey.displayName(name), let key = ClassKey(naming: name) else {
      throw CairnError.notAName(name)
    }
    let labelClass = LabelClass(key: key, name: display, stamp: session.stamp())
    try session.write([.class(labelClass)], durable: durable)
    return key
  }

  /// - Parameter index: The index, where it is being read.
  func existingClassKey(named name: String, in index: IndexReader? = nil) throws -> ClassKey {
    guard let key = try knownClassKey(named: name, in: index) else {
      throw CairnError.noClass(name)
    }
    return key
  }

  /// Returns the key of the class that `name` means; nil when it means none.
  ///
  /// - Parameter index: The index, where it is being read.
  func knownClassKey(named name: String, in index: IndexReader? = nil) throws -> ClassKey? {
    try knownClassKey(named: name) { name in
      try index?.classes(named: name) ?? query { try $0.classes(named: name) }
    }
  }

  /// - Parameter classes: Returns the classes whose display names are like a name.
  func knownClassKey(
    named name: String, among classes: (String) throws -> [LabelClass]
  ) throws -> ClassKey? {
    if ClassKey(naming: name) == .favorite { return .favorite }
    if let key = try exactKey(name) { return try canonicalKey(of: key) }
    let keys = try Set(classes(name).map { try canonicalKey(of: $0.key) }).sorted()
    if keys.count > 1 {
      let list = keys.prefix(5).map(\.text).joined(separator: ", ")
      throw CairnError(
        .ambiguous, "“\(name)” means \(keys.count) classes: \(list).", hint: "Use the key of one.")
    }
    return keys.first
  }

  /// Returns the key that `name` is, or that it was once coined as; nil when no class has it.
  private func exactKey(_ name: String) throws -> ClassKey? {
    try [ClassKey(name), ClassKey(naming: name)].compactMap { $0 }.first {
      try replica.document(at: .class($0)) != nil
    }
  }

  /// Returns the key of the class that a label with this key is a label of, reading no class but
  /// those on the way.
  func canonicalKey(of key: ClassKey) throws -> ClassKey {
    var classes: [ClassKey: LabelClass] = [:]
    try readClasses(from: key, into: &classes)
    return ClassTable(classes.values).canonicalKey(of: key)
  }

  /// Reads the class with this key, and those that its aliases lead to.
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
  static func noClass(_ name: String) -> CairnError {
    CairnError(
      .notFound, "There is no class “\(name)”.", hint: "`cairn class list` shows those there are.")
  }

  static func notAName(_ name: String) -> CairnError {
    CairnError(
      .invalidInput, "“\(name)” cannot be the name of a class.",
      hint: "A name has something to show, in any script, in at most 256 bytes.")
  }
}
