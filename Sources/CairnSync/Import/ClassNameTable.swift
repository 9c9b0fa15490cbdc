internal import CairnDocument
internal import CairnMerge
internal import Synchronization

/// The classes that names in an import refer to, as for `cairn label`: existing ones, by key, name
/// or alias, and those that names create.
final class ClassNameTable: Sendable {
  private struct Classes {
    let table: ClassTable
    /// Existing classes, by the keys that their names would create.
    let byName: [ClassKey: [ClassKey]]

    init(_ classes: [LabelClass]) {
      table = ClassTable(classes)
      let named = classes.filter { !$0.removed.value }.compactMap { labelClass in
        ClassKey(naming: labelClass.name.value).map { ($0, [labelClass.key]) }
      }
      byName = Dictionary(named) { $0 + $1 }
    }
  }

  private struct State {
    /// Read when a name first needs them.
    var classes: Classes?
    var known: [String: Result<ClassKey, DocumentError>] = [:]
    var created: [ClassKey: String] = [:]
  }

  private let state = Mutex(State())
  private let read: @Sendable () -> [LabelClass]

  /// - Parameter read: Returns the classes of the dataset; called once at most.
  init(_ read: @escaping @Sendable () -> [LabelClass]) { self.read = read }

  /// Returns the key of the class that a name refers to; a new one if there is none.
  func key(_ name: String) throws(DocumentError) -> ClassKey {
    let result = state.withLock { state in
      if let known = state.known[name] { return known }
      let classes = state.classes ?? Classes(read())
      state.classes = classes
      let result = ClassNameTable.key(name, classes)
      state.known[name] = result
      if case .success(let key) = result, classes.table[key] == nil {
        state.created[key] = ClassKey.displayName(name)
      }
      return result
    }
    return try result.get()
  }

  private static func key(
    _ name: String, _ classes: Classes
  ) -> Result<ClassKey, DocumentError> {
    guard let own = ClassKey(naming: name) else {
      return .failure(DocumentError(.schema, "“\(name)” cannot be the name of a class"))
    }
    let table = classes.table
    if table[own] != nil { return .success(table.canonicalKey(of: own)) }
    let keys = Set((classes.byName[own] ?? []).map { table.canonicalKey(of: $0) }).sorted()
    if keys.count > 1 {
      let list = keys.prefix(5).map(\.text).joined(separator: ", ")
      return .failure(DocumentError(.schema, "“\(name)” means \(keys.count) classes: \(list)"))
    }
    return .success(keys.first ?? own)
  }

  /// Returns the name that a class was created with here; otherwise its key.
  func name(of key: ClassKey) -> String { state.withLock { $0.created[key] } ?? key.text }
}
