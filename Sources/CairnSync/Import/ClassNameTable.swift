internal import CairnDocument
internal import CairnMerge
internal import Synchronization

/// The classes that names in an import refer to, as for `cairn label`: existing ones, by key, name
/// or alias, and those that names create.
final class ClassNameTable: Sendable {
  private struct State {
    /// Read when a name first needs them.
    var classes: ClassTable?
    var known: [String: Result<ClassKey, DocumentError>] = [:]
    var created: [ClassKey: String] = [:]
  }

  private let state = Mutex(State())
  private let read: @Sendable () -> [LabelClass]

  /// - Parameters:
  ///   - names: The names of the classes that the import may create.
  ///   - read: Returns the classes of the dataset; called once at most.
  init(
    naming names: [ClassKey: String] = [:], _ read: @escaping @Sendable () -> [LabelClass]
  ) {
    self.read = read
    state.withLock { $0.created = names.compactMapValues { ClassKey.displayName($0) } }
  }

  /// Returns the key of the class that a name refers to; a new one if there is none.
  func key(_ name: String) throws(DocumentError) -> ClassKey {
    let result = state.withLock { state in
      if let known = state.known[name] { return known }
      let classes = state.classes ?? ClassTable(read(), indexingNames: true)
      state.classes = classes
      let match = classes.resolve(name)
      if case .new(let key)? = match { state.created[key] = ClassKey.displayName(name) }
      let result = ClassNameTable.key(name, match)
      state.known[name] = result
      return result
    }
    return try result.get()
  }

  private static func key(
    _ name: String, _ match: ClassMatch?
  ) -> Result<ClassKey, DocumentError> {
    switch match {
    case .existing(let key)?, .new(let key)?: return .success(key)
    case .ambiguous(let keys)?:
      let list = keys.prefix(5).map(\.text).joined(separator: ", ")
      return .failure(DocumentError(.schema, "“\(name)” matches \(keys.count) classes: \(list)"))
    case nil:
      return .failure(DocumentError(.schema, "“\(name)” cannot be the name of a class"))
    }
  }

  /// Returns the name that a class was created with here; otherwise its key.
  func name(of key: ClassKey) -> String { state.withLock { $0.created[key] } ?? key.text }
}
