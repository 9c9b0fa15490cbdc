internal import CairnDocument
internal import CairnMerge
internal import Synchronization

/// The classes that the names in an import mean, as for `cairn label`: those there are, by key, name
/// or alias, and those that names coin.
final class ClassNames: Sendable {
  private struct State {
    /// Read when a name first needs it.
    var table: ClassTable?
    var known: [String: Result<ClassKey, DocumentError>] = [:]
    var coined: [ClassKey: String] = [:]
  }

  private let state = Mutex(State())
  private let read: @Sendable () -> ClassTable

  /// - Parameter read: Returns the classes of the dataset; called once at most.
  init(_ read: @escaping @Sendable () -> ClassTable) { self.read = read }

  /// Returns the key of the class that a name means; one more where it means none.
  func key(_ name: String) throws(DocumentError) -> ClassKey {
    let result = state.withLock { state in
      if let known = state.known[name] { return known }
      let table = state.table ?? read()
      state.table = table
      let result = ClassNames.key(name, table)
      state.known[name] = result
      if case .success(let key) = result, table[key] == nil {
        state.coined[key] = ClassKey.displayName(name)
      }
      return result
    }
    return try result.get()
  }

  private static func key(
    _ name: String, _ table: ClassTable
  ) -> Result<ClassKey, DocumentError> {
    guard let own = ClassKey(naming: name) else {
      return .failure(DocumentError(.schema, "“\(name)” cannot be the name of a class"))
    }
    if table[own] != nil { return .success(table.canonicalKey(of: own)) }
    let keys = table.keys(named: name)
    if keys.count > 1 {
      let list = keys.prefix(5).map(\.text).joined(separator: ", ")
      return .failure(DocumentError(.schema, "“\(name)” means \(keys.count) classes: \(list)"))
    }
    return .success(keys.first ?? own)
  }

  /// Returns the name that a class was coined with here; its key where it was not.
  func name(of key: ClassKey) -> String { state.withLock { $0.coined[key] } ?? key.text }
}
