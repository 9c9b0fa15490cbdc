import Cairn

// The photos that a command would change, for its dry run.

extension Dataset {
  /// Returns the photos with a label of the class by the model, which can be withdrawn.
  func photos(
    _ photos: [PhotoID], labeled className: String, by model: Annotator
  ) throws -> [PhotoID] {
    let keys = try classKeys(meaning: className)
    return try photos.filter { id in
      try show(id).labels.contains { label in
        label.annotator == model && label.verdict != .withdrawn && keys.contains(label.classKey)
      }
    }
  }

  /// Returns the photos with a prediction of the class, which a person can accept or reject.
  func photos(_ photos: [PhotoID], predicted className: String) throws -> [PhotoID] {
    let keys = try classKeys(meaning: className)
    let withdrawn = Set(try runs().filter { $0.run.withdrawn.value }.map { $0.run.id })
    return try photos.filter { id in
      try show(id).labels.contains { label in
        !label.annotator.isHuman && label.verdict != .withdrawn && keys.contains(label.classKey)
          && !(label.run.map(withdrawn.contains) ?? false)
      }
    }
  }

  /// Returns the favorites of the current user, including removed photos.
  func favorites() throws -> Set<PhotoID> {
    let removed = PhotoQuery.all([.favorite, .removed])
    return Set(try find(.any([.favorite, removed])))
  }

  /// Returns the key of the class with a name, and those of its aliases.
  private func classKeys(meaning name: String) throws -> Set<ClassKey> {
    let key = try classKey(name)
    return Set(try classes().filter { $0.canonicalKey == key }.map(\.labelClass.key) + [key])
  }
}
