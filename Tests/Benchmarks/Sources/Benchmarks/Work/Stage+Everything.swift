import Foundation

extension Stage {
  /// Labels, commits and syncs with every document in the work tree and a remote in a directory, as
  /// most people do.
  func measureEverything() throws {
    guard let ours = try fullDataset(of: "cairn"), let theirs = try fullDataset(of: "git") else {
      return
    }
    var remotes: [URL] = []
    for dataset in [ours, theirs] {
      let remote = try bareCopy(of: dataset, as: dataset.lastPathComponent + ".git")
      try output(cairn("remote", "add", "origin", remote.path, at: dataset))
      try output(git("fetch", "-q", "origin", at: dataset))
      remotes.append(remote)
    }
    compareLabeling(
      ", everything checked out", ours, theirs,
      label: { self.cairn.label(self.generator.photos[self.nextPhoto()], at: ours) },
      edit: { try self.editByHand(self.nextPhoto(), in: theirs) })
    compare(
      "sync with nothing new, everything checked out",
      [
        Entry(
          contender: "cairn", way: "cairn sync", commands: { _ in [self.cairn("sync", at: ours)] }),
        Entry(
          contender: "git", way: "git fetch",
          commands: { _ in [self.git("fetch", "-q", "origin", at: theirs)] }),
      ])
    try remotes.forEach(remove)
  }

  /// Compares one label with the same change made by hand: committed, and synced with the remote.
  ///
  /// - Parameters:
  ///   - label: Returns a command that labels another photo.
  ///   - edit: Changes a file, and returns its path.
  func compareLabeling(
    _ suffix: String, _ ours: URL, _ theirs: URL, label: @escaping () -> Command,
    edit: @escaping () throws -> String
  ) {
    var path = ""
    func entries(
      _ way: String, _ finish: Command, _ push: [Command]
    ) -> [Entry] {
      [
        Entry(
          contender: "cairn", way: "cairn label; cairn \(way)",
          commands: { _ in [label(), finish] }),
        Entry(
          contender: "git",
          way: "git add FILE; git commit" + (push.isEmpty ? "" : "; git push"),
          prepare: { _ in path = try edit() },
          commands: { _ in self.git.commit(path, at: theirs) + push }),
      ]
    }
    compare("label + commit\(suffix)", entries("commit", cairn.commit(at: ours), []))
    compare(
      "label + sync\(suffix)",
      entries(
        "sync", cairn("sync", at: ours), [git("push", "-q", "origin", "main", at: theirs)]))
  }
}
