import Foundation

extension Stage {
  /// Pushes one label to a bare repository in a directory.
  func measurePush() throws {
    let base = try baseDataset()
    /// Returns a copy of the dataset that is up to date with its remote.
    func pushing(_ name: String) throws -> URL {
      let dataset = try copy(base, as: name)
      let remote = try bareCopy(of: base, as: name + ".git")
      try output(cairn("remote", "add", "origin", remote.path, at: dataset))
      try output(git("fetch", "-q", "origin", at: dataset))
      return dataset
    }
    let (ours, theirs) = (try pushing("push-cairn"), try pushing("push-git"))
    try removeHooks(of: theirs)
    func labeled(_ dataset: URL) -> (Int) throws -> Void {
      { _ in
        try self.output(self.cairn.label(self.generator.photos[self.nextPhoto()], at: dataset))
        try self.output(self.cairn.commit(at: dataset))
      }
    }
    compare(
      "push of one label",
      [
        Entry(
          contender: "cairn", way: "cairn push", prepare: labeled(ours),
          commands: { _ in [self.cairn("push", "origin", at: ours)] }),
        Entry(
          contender: "git", way: "git push", prepare: labeled(theirs),
          commands: { _ in [self.git.push(at: theirs, self.stopwatch)] }),
      ])
    for name in ["push-cairn", "push-git"] {
      try remove(place.appending(path: name))
      try remove(place.appending(path: name + ".git"))
    }
  }
}
