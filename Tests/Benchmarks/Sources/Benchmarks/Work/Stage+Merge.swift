import Foundation

extension Stage {
  private static let changes = 1000

  /// Merges two copies, in each of which 1,000 documents were changed.
  func measureMerge() throws {
    let base = try copy(try baseDataset(), as: "side-none")
    let (ours, theirs) = (try side(0, of: base), try side(1, of: base))
    let remote = try bareCopy(of: theirs, as: "side-1.git")
    let both = try copy(ours, as: "sides")
    for repository in [base, ours, both] {
      try output(cairn("remote", "add", "origin", remote.path, at: repository))
    }
    try output(git("fetch", "-q", "origin", at: both))
    // Build the index database and let cairn process git's commits before measuring.
    for dataset in [base, ours] {
      try output(cairn.commit(at: dataset))
      try output(cairn.find(at: dataset))
    }
    func fresh(_ dataset: URL, _ name: String) -> (Int) throws -> Void {
      { _ in
        let copy = try self.copy(dataset, as: name, withIndex: true)
        // The copy gets a replica id of its own.
        try self.output(self.cairn("status", at: copy))
      }
    }
    let (merging, forward, fetching) = (
      place.appending(path: "pull"), place.appending(path: "forward"),
      place.appending(path: "fetch")
    )
    compare(
      "pull and merge 1,000 + 1,000", pace: .few,
      [
        Entry(
          contender: "cairn", way: "cairn pull", prepare: fresh(ours, "pull"),
          commands: { _ in [self.cairn("pull", "origin", at: merging)] }),
        Entry(
          contender: "git", way: "git fetch; git merge-tree --write-tree",
          prepare: fresh(ours, "fetch"),
          commands: { _ in
            [
              self.git("fetch", "-q", "origin", at: fetching),
              self.git("merge-tree", "--write-tree", "main", "origin/main", at: fetching),
            ]
          }),
      ])
    compare(
      "pull 1,000 without a merge", pace: .few,
      [
        Entry(
          contender: "cairn", way: "cairn pull, fast-forward", prepare: fresh(base, "forward"),
          commands: { _ in [self.cairn("pull", "origin", at: forward)] }),
        Entry(
          contender: "git", way: "git fetch", prepare: fresh(base, "fetch"),
          commands: { _ in [self.git("fetch", "-q", "origin", at: fetching)] }),
      ])
    // Each run needs a new copy: in the same one, git would find the merged trees already written.
    let merged = place.appending(path: "merged")
    compare(
      "merge 1,000 + 1,000", pace: .few,
      [
        Entry(
          contender: "git", way: "git merge-tree --write-tree",
          prepare: { _ in _ = try self.copy(both, as: "merged") },
          commands: { _ in
            [self.git("merge-tree", "--write-tree", "main", "origin/main", at: merged)]
          })
      ])
    report.addDifference(
      "merge 1,000 + 1,000", documents,
      of: "pull and merge 1,000 + 1,000", less: "pull 1,000 without a merge",
      way: "cairn pull, minus the median of a fast-forward of the same 1,000")
    try [base, ours, theirs, remote, both, merged, merging, forward, fetching].forEach(remove)
  }

  /// Returns a copy of the dataset with one more commit.
  private func side(_ side: Int, of base: URL) throws -> URL {
    let stream = place.appending(path: "side-\(side).fast-import")
    try generator.writeChanges(Stage.changes, side: side, to: stream)
    let dataset = try copy(base, as: "side-\(side)")
    try fastImport(stream, into: dataset)
    return dataset
  }
}
