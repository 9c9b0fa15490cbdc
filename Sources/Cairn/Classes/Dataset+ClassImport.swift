public import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
public import SystemPackage

/// Options for importing a list of classes.
public struct ClassImportOptions: Sendable {
  /// The exclusive set to put all the classes into.
  public var set: ClassKey?
  /// Whether only to report what would be done.
  public var isDryRun = false

  /// Creates options that only add classes.
  public init() {}
}

/// The result of importing a list of classes, or of a dry run.
public struct ClassImportReport: Sendable {
  /// The classes that were created.
  public internal(set) var added: [ClassKey] = []
  /// The number of names that became aliases.
  public internal(set) var aliases = 0
  /// The number of classes that got a parent.
  public internal(set) var parents = 0
  /// The number of classes put into the set.
  public internal(set) var members = 0
  /// The number of classes of the list that already existed.
  public internal(set) var known = 0
  /// The names that were left out, with the reason, as sentences.
  public internal(set) var notes: [String] = []
}

extension Dataset {
  /// Adds the classes of a list with their other names, parents and set. Names, aliases and parents
  /// that people have set are left unchanged; importing the same list again changes nothing.
  ///
  /// - Parameter file: Text, CSV or JSON, as determined by its extension (<doc:Labelers>).
  @discardableResult
  public func importClasses(
    from file: FilePath, options: ClassImportOptions = ClassImportOptions()
  ) throws(CairnError) -> ClassImportReport {
    try edit("class import") { session in
      guard let bytes = try environment.files.read(file, limit: 64 << 20) else {
        throw CairnError(.notFound, "There is no file \(file).")
      }
      let form: ClassList.Form =
        switch file.extension?.lowercased() {
        case "json": .json
        case "csv": .csv
        default: .text
        }
      let list = try ClassList(bytes, form, named: file.string)
      var plan = ClassImportPlan(try query { try $0.classes() }, options.set) {
        session.stamp(replacing: $0)
      }
      plan.add(list.entries)
      if !options.isDryRun, !plan.changed.isEmpty {
        try session.write(plan.documents, durable: false)
        try session.flush()
      }
      return plan.report
    }
  }
}

/// The changes that import a list into the existing classes.
private struct ClassImportPlan {
  private var classes: [ClassKey: LabelClass]
  /// The classes before the import.
  private let table: ClassTable
  /// The classes that the import creates, by their keys and those of their aliases.
  private var created: [ClassKey: ClassKey] = [:]
  private let set: ClassKey?
  private let stamp: (Stamp?) -> Stamp
  private(set) var changed = Set<ClassKey>()
  private(set) var report = ClassImportReport()

  init(_ known: [LabelClass], _ set: ClassKey?, stamp: @escaping (Stamp?) -> Stamp) {
    classes = Dictionary(uniqueKeysWithValues: known.map { ($0.key, $0) })
    table = ClassTable(known, indexingNames: true)
    (self.set, self.stamp) = (set, stamp)
  }

  var documents: [Document] {
    changed.sorted().compactMap { classes[$0].map { Document.class($0) } }
  }

  /// Imports a list. Adds all names first, so that no alias takes the name of a later class, then
  /// all aliases, so that a parent may be given by an alias.
  mutating func add(_ entries: [ClassList.Entry]) {
    var named: [(entry: ClassList.Entry, key: ClassKey)] = []
    for entry in entries {
      let before = report.added.count
      guard let key = key(of: entry.name) else { continue }
      if report.added.count == before { report.known += 1 }
      named.append((entry, key))
    }
    for (entry, key) in named {
      for alias in [entry.id].compactMap(\.self) + entry.aliases { add(alias: alias, of: key) }
    }
    for (entry, key) in named {
      if let parent = entry.parent { add(parent: parent, of: key) }
      if let set { add(set: set, of: key) }
    }
  }

  /// Returns the class that a name refers to before or during the import.
  private func match(_ name: String) -> ClassMatch? {
    let match = table.resolve(name)
    guard case .new(let key)? = match, let known = created[key] else { return match }
    return .existing(known)
  }

  /// Returns the class with the given name, creating it if needed; nil if the name is invalid or
  /// several classes have it.
  private mutating func key(of name: String) -> ClassKey? {
    switch match(name) {
    case .existing(.favorite)?, nil:
      report.notes.append("“\(name)” cannot be the name of a class.")
      return nil
    case .existing(let key)?: return key
    case .new(let key)?:
      put(LabelClass(key: key, name: ClassKey.displayName(name) ?? key.text))
      created[key] = key
      report.added.append(key)
      return key
    case .ambiguous(let keys)?:
      report.notes.append("“\(name)” already refers to \(keys.count) classes.")
      return nil
    }
  }

  private mutating func add(alias: String, of key: ClassKey) {
    switch match(alias) {
    case nil: report.notes.append("“\(alias)” cannot be an alias of \(key).")
    case .existing(let existing)?:
      if existing != key {
        report.notes.append(
          "“\(alias)” already refers to the class \(existing), so it cannot be an alias of \(key).")
      }
    case .ambiguous(let keys)?:
      report.notes.append("“\(alias)” already refers to \(keys.count) classes.")
    case .new(let newKey)?:
      var labelClass = LabelClass(key: newKey, name: ClassKey.displayName(alias) ?? newKey.text)
      labelClass.aliasOf = Register(key, .given)
      put(labelClass)
      created[newKey] = key
      report.aliases += 1
    }
  }

  private mutating func add(parent name: String, of key: ClassKey) {
    guard let parent = self.key(of: name), parent != key, var labelClass = classes[key],
      labelClass.parent.value == nil
    else { return }
    labelClass.parent = Register(
      parent, labelClass.parent.stamp == .initial ? .given : stamp(labelClass.parent.stamp))
    put(labelClass)
    report.parents += 1
  }

  private mutating func add(set: ClassKey, of key: ClassKey) {
    guard var labelClass = classes[key], labelClass.set?.value == nil else { return }
    labelClass.set = Register(set, labelClass.set.map { stamp($0.stamp) } ?? .given)
    put(labelClass)
    report.members += 1
  }

  private mutating func put(_ labelClass: LabelClass) {
    classes[labelClass.key] = labelClass
    changed.insert(labelClass.key)
  }
}
