import Foundation

extension Stage {
  /// Runs `status` in a sparse checkout, and with everything checked out.
  func measureStatus() throws {
    func entries(_ ours: URL, _ theirs: URL) -> [Entry] {
      [
        Entry(
          contender: "cairn", way: "cairn status",
          commands: { _ in [self.cairn("status", at: ours)] }),
        Entry(
          contender: "git", way: "git status", commands: { _ in [self.git("status", at: theirs)] }),
      ]
    }
    let dataset = try copy(try baseDataset(), as: "status")
    compare("status", entries(dataset, dataset))
    try remove(dataset)
    guard let ours = try fullDataset(of: "cairn"), let theirs = try fullDataset(of: "git") else {
      return
    }
    compare("status, everything checked out", entries(ours, theirs))
  }

  /// Lists all photos.
  func measureList() throws {
    let dataset = try copy(try baseDataset(), as: "list")
    compare(
      "photo list", pace: .few,
      [
        Entry(
          contender: "cairn", way: "cairn photo list",
          commands: { _ in [self.cairn("photo", "list", at: dataset)] }),
        Entry(
          contender: "cairn, as JSON", way: "cairn photo list --json",
          commands: { _ in [self.cairn("photo", "list", "--json", at: dataset)] }),
      ])
    try remove(dataset)
  }

  /// Runs commands that read everything, for their memory.
  func measureCommands() throws {
    let dataset = try copy(try baseDataset(), as: "commands")
    try output(cairn.find(at: dataset))
    let all = [
      ["verify"], ["doctor"], ["log"], ["operations"], ["categories"], ["agreement"], ["evaluate"],
      ["report", "../report.html"], ["class", "list"], ["pin", "list"], ["run", "list"],
      ["split", "list"], ["images", "status"], ["export", "documents", "../export.jsonl"],
      ["export", "csv", "../export.csv"], ["export", "coco", "../export-coco"],
    ]
    for words in all {
      var command = cairn(at: dataset)
      command.words += words
      let name = words.prefix { !$0.hasPrefix("..") }.joined(separator: " ")
      compare(
        name, pace: .once,
        [Entry(contender: "cairn", way: "cairn \(name)", commands: { _ in [command] })])
    }
    try [dataset, place.appending(path: "export-coco")].forEach(remove)
  }

  /// Starts the programs, which do nothing else.
  func measureStart() {
    compare(
      "process start",
      [
        Entry(
          contender: "cairn", way: "cairn --version",
          commands: { _ in [self.cairn("--version", at: self.place)] }),
        Entry(
          contender: "git", way: "git --version",
          commands: { _ in [self.git("--version", at: self.place)] }),
      ])
  }
}
