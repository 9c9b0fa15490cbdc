public import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
public import SystemPackage

/// How to import a list of classes.
public struct ClassImportOptions: Sendable {
  /// The exclusive set that all of them belong to.
  public var set: ClassKey?
  /// Only say what would be done.
  public var isRehearsal = false

  public init() {}
}

/// What an import of a list of classes did, or would do.
public struct ClassImportReport: Sendable {
  /// Classes that are new.
  public internal(set) var added: [ClassKey] = []
  /// Names that mean one of the classes from now on.
  public internal(set) var aliases = 0
  /// Classes that have a parent, or belong to the set, from now on.
  public internal(set) var parents = 0
  public internal(set) var members = 0
  /// Classes of the list that there were.
  public internal(set) var known = 0
  /// Names that are left out, and why, as sentences.
  public internal(set) var notes: [String] = []
}

extension Dataset {
  /// Adds the classes of a list with their further names, parents and set. What people have called a
  /// class, made an alias or given a parent stays as it is; to import a list again changes nothing.
  ///
  /// - Parameter file: Text, CSV or JSON, as its name ends; ``ClassList`` has the forms.
  public func importClasses(
    from file: FilePath, options: ClassImportOptions = ClassImportOptions()
  ) throws(CairnError) -> ClassImportReport {
    try edit("class import") { session in
      guard let bytes = try world.files.read(file, limit: 64 << 20) else {
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
      plan.take(list.entries)
      if !options.isRehearsal, !plan.changed.isEmpty {
        try session.write(plan.documents, durable: false)
        try session.flush()
      }
      return plan.report
    }
  }
}

/// Compares a list with the classes there are.
private struct ClassImportPlan {
  private var classes: [ClassKey: LabelClass]
  /// What labels with a key are labels of.
  private var canonical: [ClassKey: ClassKey]
  /// The classes that people see under a name, by the key that the name would have.
  private var shown: [ClassKey: Set<ClassKey>] = [:]
  private let set: ClassKey?
  private let stamp: (Stamp?) -> Stamp
  private(set) var changed = Set<ClassKey>()
  private(set) var report = ClassImportReport()

  init(_ known: [LabelClass], _ set: ClassKey?, stamp: @escaping (Stamp?) -> Stamp) {
    classes = Dictionary(uniqueKeysWithValues: known.map { ($0.key, $0) })
    let table = ClassTable(known)
    canonical = Dictionary(
      uniqueKeysWithValues: known.map { ($0.key, table.canonicalKey(of: $0.key)) })
    (self.set, self.stamp) = (set, stamp)
    for labelClass in known where !labelClass.removed.value {
      guard let naming = ClassKey(naming: labelClass.name.value) else { continue }
      shown[naming, default: []].insert(canonical[labelClass.key] ?? labelClass.key)
    }
  }

  var documents: [Document] {
    changed.sorted().compactMap { classes[$0].map { Document.class($0) } }
  }

  /// Takes a list: all its names first, so that an alias takes none of them, whatever their order; then
  /// its aliases, so that a parent may be called by one.
  mutating func take(_ entries: [ClassList.Entry]) {
    var named: [(entry: ClassList.Entry, key: ClassKey)] = []
    for entry in entries {
      let before = report.added.count
      guard let key = key(of: entry.name) else { continue }
      if report.added.count == before { report.known += 1 }
      named.append((entry, key))
    }
    for (entry, key) in named {
      for alias in [entry.id].compactMap(\.self) + entry.aliases { take(alias: alias, of: key) }
    }
    for (entry, key) in named {
      if let parent = entry.parent { take(parent: parent, of: key) }
      if let set { take(set: set, of: key) }
    }
  }

  /// Returns the class that a name means; a new one where it means none, nil where it cannot be one.
  private mutating func key(of name: String) -> ClassKey? {
    guard let display = ClassKey.displayName(name), let coined = ClassKey(naming: name) else {
      report.notes.append("“\(name)” cannot be the name of a class.")
      return nil
    }
    if let known = canonical[coined] { return known }
    if let seen = shown[coined], seen.count == 1 { return seen.first }
    put(LabelClass(key: coined, name: display, stamp: stamp(nil)))
    canonical[coined] = coined
    shown[coined, default: []].insert(coined)
    report.added.append(coined)
    return coined
  }

  private mutating func take(alias: String, of key: ClassKey) {
    guard let display = ClassKey.displayName(alias), let coined = ClassKey(naming: alias) else {
      report.notes.append("“\(alias)” cannot be a name of \(key).")
      return
    }
    let meant = canonical[coined] ?? (shown[coined]?.count == 1 ? shown[coined]?.first : nil)
    if let meant {
      if meant != key { report.notes.append("“\(alias)” means \(meant) already, and not \(key).") }
      return
    }
    if let several = shown[coined], several.count > 1 {
      report.notes.append("“\(alias)” means \(several.count) classes already.")
      return
    }
    var labelClass = LabelClass(key: coined, name: display, stamp: stamp(nil))
    labelClass.aliasOf = Register(key, stamp(nil))
    put(labelClass)
    canonical[coined] = key
    report.aliases += 1
  }

  private mutating func take(parent name: String, of key: ClassKey) {
    guard let parent = self.key(of: name), parent != key, var labelClass = classes[key],
      labelClass.parent.value == nil
    else { return }
    labelClass.parent = Register(parent, stamp(labelClass.parent.stamp))
    put(labelClass)
    report.parents += 1
  }

  private mutating func take(set: ClassKey, of key: ClassKey) {
    guard var labelClass = classes[key], labelClass.set?.value == nil else { return }
    labelClass.set = Register(set, stamp(labelClass.set?.stamp))
    put(labelClass)
    report.members += 1
  }

  private mutating func put(_ labelClass: LabelClass) {
    classes[labelClass.key] = labelClass
    changed.insert(labelClass.key)
  }
}
