internal import CLibgit2

extension Repository {
  /// Returns the ids of all objects, loose and packed: also those that no ref reaches, and those of
  /// repositories from which objects are borrowed. An id may occur more than once.
  package func allObjects() throws -> [ObjectID] {
    try refreshObjects()
    var ids: [ObjectID] = []
    let status = withUnsafeMutablePointer(to: &ids) { list in
      git_odb_foreach(
        objects,
        { id, list in
          guard let id, let list else { return 0 }
          list.assumingMemoryBound(to: [ObjectID].self).pointee.append(ObjectID(id.pointee))
          return 0
        }, list)
    }
    try check(status, "list the objects")
    return ids
  }
}
