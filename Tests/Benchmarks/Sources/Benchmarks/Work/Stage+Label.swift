import Foundation

extension Stage {
  /// Labels one photo and commits the label.
  func measureLabel() throws {
    let dataset = try copy(try baseDataset(), as: "label")
    func label() -> Command { cairn.label(generator.photos[nextPhoto()], at: dataset) }
    compare(
      "label", [Entry(contender: "cairn", way: "cairn label", commands: { _ in [label()] })])
    try output(cairn.commit(at: dataset))
    compare(
      "commit of one label",
      [
        Entry(
          contender: "cairn", way: "cairn commit", prepare: { _ in try self.output(label()) },
          commands: { _ in [self.cairn.commit(at: dataset)] })
      ])
    var entries = [
      Entry(
        contender: "cairn", way: "cairn label; cairn commit",
        commands: { _ in [label(), self.cairn.commit(at: dataset)] })
    ]
    if let full = try fullDataset(of: "git") {
      entries.append(gitEntry("git, all checked out", full, add: ["add"]))
    }
    if isPartial {
      let sparse = try copy(try baseDataset(), as: "label-git")
      try removeHooks(of: sparse)
      entries.append(gitEntry("git, sparse checkout", sparse, add: ["add", "--sparse"]))
    }
    compare("label + commit", entries)
    try remove(dataset)
    try remove(place.appending(path: "label-git"))
  }

  /// Returns the entry for git: a label's file that was edited is added by its path and committed.
  private func gitEntry(_ contender: String, _ repository: URL, add: [String]) -> Entry {
    var path = ""
    return Entry(
      contender: contender, way: "git \(add.joined(separator: " ")) FILE; git commit",
      prepare: { _ in path = try self.editByHand(self.nextPhoto(), in: repository) },
      commands: { _ in self.git.commit(path, at: repository, add: add) })
  }

  /// Writes a changed label to the work tree; returns its path in the dataset.
  func editByHand(_ photo: Int, in repository: URL) throws -> String {
    let document = generator.personLabel(at: photo, isChanged: true)
    let file = repository.appending(path: document.path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(document.text.utf8).write(to: file)
    return document.path
  }
}
