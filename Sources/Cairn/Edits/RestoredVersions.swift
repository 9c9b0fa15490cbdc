internal import CairnDocument
internal import CairnStore
internal import CairnSync

/// What undos have restored: a restored version has a later stamp than the one that it stands for.
struct RestoredVersions {
  private struct Restoration {
    /// The versions before and after the undo.
    let before: JSON?
    let after: JSON?
    /// The version that `after` stands for.
    let original: JSON?
  }

  /// The newest first.
  private var restorations: [DocumentPath: [Restoration]] = [:]

  /// Reads what undos after an operation have done to its documents.
  init(
    since operation: OperationRecord, of paths: Set<DocumentPath>, in dataset: Dataset
  ) throws {
    let replica = dataset.replica
    for undo in try dataset.operations() where undo.number > operation.number {
      guard let other = undo.undoes else { continue }
      let originals = Dictionary(
        try replica.edits(of: other).edits.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
      for edit in try replica.edits(of: undo.number).edits where paths.contains(edit.path) {
        let versions = try replica.versions(of: edit)
        // Labels that the other operation did not change were only restated.
        let original: JSON??
        do {
          original = try originals[edit.path].map { try replica.versions(of: $0).before }
        } catch StoreError.invalidDocument {
          // That undo has left it unchanged.
          continue
        }
        restorations[edit.path, default: []].append(
          Restoration(
            before: versions.before, after: versions.after, original: original ?? versions.before))
      }
    }
  }

  /// Returns the version that undos have restored as `version`; `version` itself if none did.
  func original(of version: JSON?, at path: DocumentPath) -> JSON? {
    (restorations[path] ?? []).reduce(version) { $1.after == $0 ? $1.original : $0 }
  }

  /// Returns the register that undos have restored as `register`; `register` itself if none did.
  ///
  /// - Parameter name: The keys that lead to it, joined by dots.
  func original(of register: JSON, _ name: String, at path: DocumentPath) -> JSON {
    let keys = name.split(separator: ".").map(String.init)
    func member(of version: JSON?) -> JSON? { keys.reduce(version) { json, key in json?[key] } }
    return (restorations[path] ?? []).reduce(register) { register, restoration in
      member(of: restoration.after) == register && member(of: restoration.before) != register
        ? member(of: restoration.original) ?? register : register
    }
  }
}
