import Foundation

extension Stage {
  private static let commits = 50

  /// Adds many commits of one label each to a repository, and runs gc.
  func measureGrowth() throws {
    let dataset = try copy(try baseDataset(), as: "growth")
    try measureGrowth(of: dataset, "cairn", gc: cairn("gc", at: dataset), "cairn gc") {
      try self.output(self.cairn.label(self.generator.photos[self.nextPhoto()], at: dataset))
      try self.output(self.cairn.commit(at: dataset))
    }
    try remove(dataset)
    guard let full = try fullDataset(of: "git") else { return }
    try measureGrowth(of: full, "git", gc: git("gc", "-q", at: full), "git gc") {
      try self.output(self.git("add", self.editByHand(self.nextPhoto(), in: full), at: full))
      try self.output(self.git("commit", "-q", "-m", "label", at: full))
    }
  }

  private func measureGrowth(
    of repository: URL, _ contender: String, gc: Command, _ way: String, commit: () throws -> Void
  ) throws {
    let objects = repository.appending(path: ".git/objects")
    try commit()
    let before = try bytes(of: objects)
    for _ in 0..<Stage.commits { try commit() }
    let grown = try bytes(of: objects)
    addDisk("objects of a one-label commit", contender, (grown - before) / Double(Stage.commits))
    compare(
      "gc after 50 commits", pace: .once,
      [Entry(contender: contender, way: way, commands: { _ in [gc] })])
    addDisk("objects before 50 commits", contender, before)
    addDisk("objects after 50 commits", contender, grown)
    if report.figure("gc after 50 commits", documents, contender) != nil {
      addDisk("objects after gc", contender, try bytes(of: objects))
    }
  }
}
