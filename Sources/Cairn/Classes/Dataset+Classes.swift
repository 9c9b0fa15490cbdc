internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore

/// A class with its resolved aliases and photo count.
public struct ClassRecord: Sendable {
  /// The document of the class.
  public let labelClass: LabelClass
  /// The class that labels with this key count for: itself, or the class that it is an alias of.
  public let canonicalKey: ClassKey
  /// The other keys that are aliases of it.
  public let aliases: [ClassKey]
  /// The exclusive set that it belongs to.
  public let set: ClassKey?
  /// The number of visible photos on which it is confirmed, predicted or disputed; for an alias, with
  /// a present label under its own key.
  public let photos: Int

  /// Whether it is an alias of another class.
  public var isAlias: Bool { canonicalKey != labelClass.key }
}

extension Dataset {
  /// Returns the classes, including aliases, sorted by key; without removed ones unless asked for.
  public func classes(includingRemoved: Bool = false) throws(CairnError) -> [ClassRecord] {
    try translating {
      try query(resolved: true) { index in
        let classes = try index.classes()
        let table = ClassTable(classes)
        let aliases = classes.map(\.key).filter { table.canonicalKey(of: $0) != $0 }
        let states = try index.photoCountsByState()
        let labeled = try index.photoCounts(of: aliases)
        return classes.filter { includingRemoved || !$0.removed.value }.map { labelClass in
          let key = labelClass.key
          let canonical = table.canonicalKey(of: key)
          let found = (states[key] ?? [:]).filter { $0.key != .rejected }.values.reduce(0, +)
          return ClassRecord(
            labelClass: labelClass, canonicalKey: canonical, aliases: table.aliases(of: key),
            set: table.set(of: key), photos: key == canonical ? found : labeled[key] ?? 0)
        }
      }
    }
  }

  // MARK: Editing

  /// Changes the display name of a class; its key, which labels use, is unchanged.
  @discardableResult
  public func renameClass(_ key: ClassKey, to name: String) throws(CairnError) -> ClassEdit {
    try editClass(key, "class rename") { labelClass, session in
      session.set(&labelClass.name, to: try displayName(name))
    }
  }

  /// Makes a class an alias of another one: its labels count for that one until it is split off
  /// again.
  @discardableResult
  public func mergeClass(_ key: ClassKey, into target: ClassKey) throws(CairnError) -> ClassEdit {
    try editClass(key, "class merge") { labelClass, session in
      let target = try aliasTarget(target)
      if key == target {
        throw CairnError(
          .invalidInput, "“\(key)” cannot be merged into itself.", hint: "Name another class.")
      }
      if try canonicalKey(of: key) == target { return }
      labelClass.aliasOf = Register(
        target, session.stamp(replacing: labelClass.aliasOf?.stamp))
    }
  }

  /// Adds an alias of a class, or restores a removed one: labels under this name count for that
  /// class.
  @discardableResult
  public func aliasClass(_ name: String, of target: ClassKey) throws(CairnError) -> ClassEdit {
    try edit("class alias") { session in
      let display = try displayName(name)
      let target = try aliasTarget(target)
      guard let key = ClassKey(naming: display) else { throw CairnError.notAName(name) }
      try checkIsClass(key)
      if let known = try knownClassKey(named: name) {
        if known == target, var own = try labelClass(key) ?? labelClass(known) {
          let isRemoved = own.removed.value && own.key != target
          if isRemoved {
            session.set(&own.removed, to: false)
            try session.write([.class(own)])
          }
          return ClassEdit(own, changed: isRemoved)
        }
        throw CairnError(
          .exists, "The class “\(name)” already exists.",
          hint: "To merge the two: `cairn class merge \(known) \(target)`.")
      }
      var labelClass = LabelClass(key: key, name: display)
      labelClass.aliasOf = Register(target, .given)
      try session.write([.class(labelClass)])
      return ClassEdit(labelClass, changed: true)
    }
  }

  /// Returns the class that an alias of `key` leads to.
  private func aliasTarget(_ key: ClassKey) throws -> ClassKey {
    try checkIsClass(key)
    return try canonicalKey(of: key)
  }

  private func checkIsClass(_ key: ClassKey) throws {
    guard key != .favorite else {
      throw CairnError(
        .invalidInput, "Favorites are not classes.", hint: "`cairn class list` lists the classes.")
    }
  }

  /// Makes an alias a separate class again, with its own labels.
  @discardableResult
  public func splitClass(_ key: ClassKey) throws(CairnError) -> ClassEdit {
    try editClass(key, "class split") { labelClass, session in
      guard let alias = labelClass.aliasOf, alias.value != nil else {
        throw CairnError(
          .invalidInput, "“\(key)” is not an alias.",
          hint: "`cairn class list` shows which names are aliases.")
      }
      labelClass.aliasOf = Register(nil, session.stamp(replacing: alias.stamp))
    }
  }

  /// Puts a class into an exclusive set; nil makes it an independent class again.
  @discardableResult
  public func setClassSet(_ key: ClassKey, _ set: ClassKey?) throws(CairnError) -> ClassEdit {
    try editClass(key, "class set") { labelClass, session in
      if labelClass.set?.value == set { return }
      labelClass.set = Register(set, session.stamp(replacing: labelClass.set?.stamp))
    }
  }

  /// Removes a class or an alias, or restores a removed one. A removed class is not listed or
  /// suggested, and only its key or first name refers to it; its labels are kept and still count.
  @discardableResult
  public func setClassRemoved(_ key: ClassKey, _ removed: Bool) throws(CairnError) -> ClassEdit {
    try editClass(key, removed ? "class remove" : "class restore") { labelClass, session in
      session.set(&labelClass.removed, to: removed)
    }
  }

  private func editClass(
    _ key: ClassKey, _ command: String, _ change: (inout LabelClass, EditSession) throws -> Void
  ) throws(CairnError) -> ClassEdit {
    try edit(command) { session in
      guard let old = try labelClass(key) else {
        throw CairnError.noClass(UnknownClass(name: key.text, suggestions: []))
      }
      var labelClass = old
      try change(&labelClass, session)
      let changed = labelClass.canonicalBytes != old.canonicalBytes
      if changed { try session.write([.class(labelClass)]) }
      return ClassEdit(labelClass, changed: changed)
    }
  }

  private func labelClass(_ key: ClassKey) throws -> LabelClass? {
    guard case .class(let labelClass)? = try replica.document(at: .class(key)) else { return nil }
    return labelClass
  }

  private func displayName(_ name: String) throws -> String {
    guard let display = ClassKey.displayName(name) else { throw CairnError.notAName(name) }
    return display
  }
}

/// A class after an edit, and whether the edit changed anything.
public struct ClassEdit: Sendable {
  /// The document after the edit.
  public let labelClass: LabelClass
  /// Whether the edit changed the document.
  public let changed: Bool

  init(_ labelClass: LabelClass, changed: Bool) {
    (self.labelClass, self.changed) = (labelClass, changed)
  }
}
