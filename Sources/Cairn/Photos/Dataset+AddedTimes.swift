internal import CairnDocument
internal import CairnGit
internal import CairnIndex
internal import CairnSync

extension Dataset {
  /// Updates the times at which photos were added in the index: the time of the first commit that
  /// contains them. The cost is proportional to the number of commits since the last call.
  func updateAddedTimes() throws {
    guard let head = try replica.repository.head() else { return }
    try query { _ in }
    guard let index = unchangedIndex() else { return }
    if try index.read({ try $0.addedCommit() }) == head.description { return }
    let repository = replica.repository
    try index.write { index in
      let last = try index.reader.addedCommit().flatMap { ObjectID($0) }
      let known = last.flatMap { repository.contains($0) ? $0 : nil }
      if known == nil { try index.clearAdded() }
      try repository.walk(
        from: [head], excluding: known.map { [$0] } ?? [], oldestFirst: true
      ) { id in
        let commit = try repository.commit(id)
        let parent = try commit.parents.first.map { try repository.commit($0).tree }
        let (old, new) = try (
          repository.tree(parent)["photos"], repository.tree(commit.tree)["photos"]
        )
        try repository.diff(old?.id, new?.id) { difference in
          guard difference.old == nil,
            case .photo(let photo)? = DocumentPath("photos/" + difference.path)
          else { return }
          try index.setAdded(photo, at: commit.author.milliseconds)
        }
        return true
      }
      try index.setAddedCommit(head.description)
    }
  }
}
